# The library, the generator of its built-in data, the program.

add_library(occcalc-flags INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(occcalc-flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(occcalc-flags INTERFACE -Wno-restrict) # false alarms on string +, gcc bug 105651
  endif()
  if(OCCCALC_WARNINGS_AS_ERRORS)
    target_compile_options(occcalc-flags INTERFACE -Werror)
  endif()
  if(OCCCALC_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(occcalc-flags INTERFACE ${sanitizers})
    target_link_options(occcalc-flags INTERFACE ${sanitizers})
  endif()
endif()

# All of the library but its data, which the generator writes.
add_library(
  occcalc-core OBJECT
  src/analysis/block_sizes.cpp
  src/analysis/budget.cpp
  src/analysis/cliffs.cpp
  src/analysis/clusters.cpp
  src/analysis/findings.cpp
  src/analysis/latency.cpp
  src/analysis/steps.cpp
  src/analysis/sweep.cpp
  src/analysis/waves.cpp
  src/input/arch_catalog.cpp
  src/input/arch_json.cpp
  src/input/arch_name.cpp
  src/input/archive.cpp
  src/input/build_log.cpp
  src/input/csv_text.cpp
  src/input/cubin.cpp
  src/input/demangle.cpp
  src/input/edit_distance.cpp
  src/input/elf.cpp
  src/input/entry_functions.cpp
  src/input/fatbin.cpp
  src/input/gpu_catalog.cpp
  src/input/gpu_json.cpp
  src/input/gpu_trace.cpp
  src/input/image_finder.cpp
  src/input/image_reader.cpp
  src/input/json_text.cpp
  src/input/kernel_json.cpp
  src/input/lists.cpp
  src/input/log_items.cpp
  src/input/name_pattern.cpp
  src/input/ncu.cpp
  src/input/ncu_lines.cpp
  src/input/ncu_metrics.cpp
  src/input/payload.cpp
  src/input/profiler_lines.cpp
  src/input/ptx.cpp
  src/input/recognise.cpp
  src/input/records.cpp
  src/input/resource_usage.cpp
  src/input/utf8.cpp
  src/input/units.cpp
  src/input/values.cpp
  src/model/active_blocks_table.cpp
  src/model/carveout.cpp
  src/model/describe.cpp
  src/model/explain.cpp
  src/model/occupancy.cpp
  src/model/occupancy_table.cpp)
target_include_directories(occcalc-core PRIVATE include src)
target_link_libraries(occcalc-core PRIVATE occcalc-flags nlohmann_json::nlohmann_json occcalc-zstd occcalc-lz4)
set_target_properties(occcalc-core PROPERTIES POSITION_INDEPENDENT_CODE ON)

file(GLOB architecture_files CONFIGURE_DEPENDS data/architectures/*.json)
set(built_in_source ${CMAKE_CURRENT_BINARY_DIR}/built_in_architectures.cpp)
add_executable(occcalc-embed src/cmake/embed_architectures.cpp src/input/arch_json.cpp src/input/arch_name.cpp
                             src/input/json_text.cpp)
target_include_directories(occcalc-embed PRIVATE include src)
target_link_libraries(occcalc-embed PRIVATE occcalc-flags nlohmann_json::nlohmann_json)
add_custom_command(
  OUTPUT ${built_in_source}
  COMMAND occcalc-embed ${built_in_source} ${architecture_files}
  DEPENDS occcalc-embed ${architecture_files}
  COMMENT "Embedding data/architectures"
  VERBATIM)

set(built_in_gpus_source ${CMAKE_CURRENT_BINARY_DIR}/built_in_gpus.cpp)
add_executable(occcalc-embed-gpus src/cmake/embed_gpus.cpp src/input/arch_name.cpp src/input/gpu_json.cpp
                                  src/input/json_text.cpp)
target_include_directories(occcalc-embed-gpus PRIVATE include src)
target_link_libraries(occcalc-embed-gpus PRIVATE occcalc-flags nlohmann_json::nlohmann_json)
add_custom_command(
  OUTPUT ${built_in_gpus_source}
  COMMAND occcalc-embed-gpus ${built_in_gpus_source} ${CMAKE_CURRENT_SOURCE_DIR}/data/gpus.json
  DEPENDS occcalc-embed-gpus data/gpus.json
  COMMENT "Embedding data/gpus.json"
  VERBATIM)

add_library(occcalc-lib STATIC ${built_in_source} ${built_in_gpus_source} $<TARGET_OBJECTS:occcalc-core>)
add_library(occcalc::occcalc ALIAS occcalc-lib)
set_target_properties(occcalc-lib PROPERTIES OUTPUT_NAME occcalc EXPORT_NAME occcalc POSITION_INDEPENDENT_CODE ON)
target_compile_features(occcalc-lib PUBLIC cxx_std_20)
file(GLOB public_headers CONFIGURE_DEPENDS include/occcalc/*.hpp)
target_sources(occcalc-lib PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${public_headers})
target_include_directories(occcalc-lib PRIVATE src)
target_link_libraries(occcalc-lib PRIVATE $<BUILD_INTERFACE:occcalc-flags> $<BUILD_INTERFACE:occcalc-zstd>
                                          $<BUILD_INTERFACE:occcalc-lz4>)
if(OCCCALC_BUILD_TESTS)
  set_target_properties(occcalc-lib PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endif()

if(OCCCALC_BUILD_TOOL)
  # Apart from the program, so that tests can call it.
  add_library(
    occcalc-report OBJECT
    src/report/advice.cpp
    src/report/arch_columns.cpp
    src/report/archs_machine.cpp
    src/report/archs_table.cpp
    src/report/changes.cpp
    src/report/chart.cpp
    src/report/chart_svg.cpp
    src/report/chart_text.cpp
    src/report/clusters_section.cpp
    src/report/csv.cpp
    src/report/explain.cpp
    src/report/fields.cpp
    src/report/gpu_cells.cpp
    src/report/gpu_fields.cpp
    src/report/gpu_table.cpp
    src/report/json.cpp
    src/report/json_questions.cpp
    src/report/json_writer.cpp
    src/report/kernel_fields.cpp
    src/report/kernel_table.cpp
    src/report/latency_section.cpp
    src/report/layout.cpp
    src/report/numbers.cpp
    src/report/questions.cpp
    src/report/rows.cpp
    src/report/sentences.cpp
    src/report/sweep_axes.cpp
    src/report/sweep_table.cpp
    src/report/table.cpp
    src/report/waves_section.cpp)
  target_include_directories(occcalc-report PRIVATE src)
  target_link_libraries(occcalc-report PRIVATE occcalc-flags occcalc-lib fmt::fmt-header-only)

  add_executable(
    occcalc-tool
    src/cli/archs.cpp
    src/cli/arguments.cpp
    src/cli/calculator.cpp
    src/cli/chunks.cpp
    src/cli/configuration.cpp
    src/cli/files.cpp
    src/cli/gates.cpp
    src/cli/given_columns.cpp
    src/cli/given_rows.cpp
    src/cli/gpu_parts.cpp
    src/cli/gpus.cpp
    src/cli/input_refusal.cpp
    src/cli/kernel_groups.cpp
    src/cli/kernel_inputs.cpp
    src/cli/kernel_names.cpp
    src/cli/kernel_rows.cpp
    src/cli/kernel_summary.cpp
    src/cli/kernels.cpp
    src/cli/main.cpp
    src/cli/option_table.cpp
    src/cli/output.cpp
    src/cli/plot.cpp
    src/cli/progress.cpp
    src/cli/read_sweep.cpp
    src/cli/row_output.cpp
    src/cli/selection.cpp
    src/cli/sweep.cpp
    src/cli/triton_cache.cpp
    src/cli/whole_gpu.cpp
    $<TARGET_OBJECTS:occcalc-report>)
  set_target_properties(occcalc-tool PROPERTIES OUTPUT_NAME occcalc)
  target_include_directories(occcalc-tool PRIVATE src)
  target_link_libraries(occcalc-tool PRIVATE occcalc-flags occcalc-lib CLI11::CLI11)
  if(OCCCALC_STATIC)
    target_link_options(occcalc-tool PRIVATE -static)
  endif()
endif()
