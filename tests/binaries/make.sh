#!/bin/sh
# Makes the binaries of this folder anew, each with the log of its compilation.  make.sh FOLDER
# Needs nvcc, ptxas (CUDA 13.0), binutils, python3 and lz4. README.md says what each shows.
set -eu
mkdir -p "$1/triton"
to=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")"/*.cu "$(dirname "$0")"/*.ptx "$(dirname "$0")"/*.py "$work"
cd "$work" # objects with line numbers name the folder

# logged LOG COMMAND...: what the compiler says of the kernels.
logged() {
  log=$to/$1.log
  shift
  "$@" 2>"$log" || { cat "$log" >&2; exit 1; }
}

code() { # code TARGET...: options for these targets
  for target in "$@"; do
    printf ' -gencode=arch=compute_%s,code=sm_%s' "${target#sm_}" "${target#sm_}"
  done
}

# Cubins.
for target in sm_80 sm_90; do
  logged "kernels.$target" nvcc -arch="$target" -cubin -Xptxas -v kernels.cu -o "$to/kernels.$target.cubin"
done
for target in sm_75 sm_80 sm_89 sm_90 sm_90a sm_100a sm_100f sm_120; do
  logged "few.$target" nvcc -arch="$target" -cubin -Xptxas -v few.cu -o "$to/few.$target.cubin"
done
logged required ptxas -v -arch sm_80 required.ptx -o "$to/required.cubin"
logged add_kernel ptxas -v -arch sm_90a add_kernel.ptx -o "$to/triton/add_kernel.cubin"

# Fatbins: the same cubins and PTX, in each compression.
text=-gencode=arch=compute_90,code=compute_90
several="$(code sm_75 sm_80 sm_90a sm_100f) $text"
logged none nvcc -fatbin $several -Xfatbin -compress-mode=none -Xptxas -v few.cu -o "$to/none.fatbin"
logged size nvcc -fatbin $several -Xfatbin -compress-mode=size -Xptxas -v few.cu -o "$to/size.fatbin"
logged speed nvcc -fatbin $(code sm_90a) $text -Xfatbin -compress-mode=speed -Xptxas -v few.cu -o "$to/speed.fatbin"
python3 other_forms.py lz4 "$to/none.fatbin" "$to/lz4.fatbin"
nvcc -fatbin $text few.cu -o "$to/ptx.fatbin"
nvcc -ptx -arch=compute_90 few.cu -o "$to/few.ptx"
logged lto nvcc -fatbin -gencode=arch=compute_80,code=lto_80 $(code sm_90) -Xptxas -v few.cu -o "$to/lto.fatbin"

# Objects of the host.
logged host nvcc -c $(code sm_80 sm_90) -Xptxas -v few.cu -o "$to/host.o"
logged lineinfo nvcc -c -lineinfo $(code sm_80) -Xptxas -v few.cu -o "$to/lineinfo.o"
logged debug nvcc -c -G $(code sm_80) -Xptxas -v few.cu -o "$to/debug.o"
nvcc -c -rdc=true -gencode=arch=compute_80,code=lto_80 few.cu -o "$to/lto.o"
logged sized nvcc -c $(code sm_90a) -Xptxas -v sized.cu -o sized.o
logged program nvcc -c $(code sm_80) -Xptxas -v program.cu -o program.o
ld -r program.o sized.o -o "$to/two.o"

# Device code that is linked.
both=$(code sm_80 sm_90)
logged calling nvcc -rdc=true -c $both -Xptxas -v calling.cu -o "$to/calling.o"
logged device nvcc -rdc=true -c $both -Xptxas -v device.cu -o device.o
logged dlink nvcc -rdc=true -dlink $(code sm_90) --resource-usage "$to/calling.o" device.o -o "$to/dlink.o"
small=-Xlinker=-s,-z,noseparate-code,--build-id=none
logged linked nvcc -rdc=true $both --resource-usage -Xfatbin -compress-all -cudart shared -cudadevrt none $small \
  "$to/calling.o" device.o -o "$to/linked"

# A program whose device code is not linked; its headers of sections are taken away; and what a scan of any file finds.
nvcc $(code sm_80) -cudart shared $small program.o -o "$to/program"
python3 other_forms.py sectionless "$to/program" "$to/program-sectionless"
python3 other_forms.py pe "$to/size.fatbin" "$to/size.exe"

# Archives.
cp program.o short.o
cp sized.o a-name-of-more-than-15-characters.o
printf 'No GPU code.\n' >notes.txt
ar rcD "$to/gnu.a" short.o notes.txt a-name-of-more-than-15-characters.o
python3 other_forms.py bsd short.o a-name-of-more-than-15-characters.o "$to/bsd.a"
rm -f "$to/thin.a"
(cd "$to" && ar rcDT thin.a calling.o dlink.o)

python3 write_expected.py "$to"
