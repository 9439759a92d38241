#include "occcalc/sweep.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace occcalc {

namespace {

__extension__ using Wide = __int128;

// The number whose product with `number` is 1 modulo `modulus`; they have no common divisor. (Euclid's algorithm)
std::int64_t inverse_modulo(std::int64_t number, std::int64_t modulus) noexcept {
  std::int64_t rest = modulus;
  std::int64_t next_rest = number;
  std::int64_t factor = 0;
  std::int64_t next_factor = 1;
  while (next_rest != 0) {
    const std::int64_t quotient = rest / next_rest;
    rest = std::exchange(next_rest, rest - quotient * next_rest);
    factor = std::exchange(next_factor, factor - quotient * next_factor);
  }
  return factor < 0 ? factor + modulus : factor;
}

}  // namespace

void NumberList::add(std::int64_t first, std::int64_t last, std::int64_t step) {
  const std::int64_t size = saturating_add((last - first) / step, 1);
  ranges_.push_back({first, last, step, size});
  size_ = saturating_add(size_, size);
}

std::int64_t NumberList::operator[](std::int64_t index) const noexcept {
  for (const Range& range : ranges_) {
    if (index < range.size) {
      return range.first + index * range.step;
    }
    index -= range.size;
  }
  return 0;
}

std::int64_t NumberList::greatest() const noexcept {
  std::int64_t greatest = 0;
  for (const Range& range : ranges_) {
    greatest = std::max(greatest, range.first + (range.last - range.first) / range.step * range.step);
  }
  return greatest;
}

// The least value of both: first + i * step with i the least that solves the congruence, if it is within both.
std::optional<std::int64_t> NumberList::Range::shared(const Range& other) const noexcept {
  const std::int64_t divisor = std::gcd(step, other.step);
  const std::int64_t apart = other.first - first;
  if (apart % divisor != 0) {
    return std::nullopt;
  }
  // i * step = apart (modulo other.step); 128 bits hold every product.
  const std::int64_t modulus = other.step / divisor;
  const std::int64_t inverse = inverse_modulo(step / divisor % modulus, modulus);
  const auto i = static_cast<std::int64_t>(static_cast<Wide>(apart / divisor % modulus) * inverse % modulus);
  Wide value = first + static_cast<Wide>(i < 0 ? i + modulus : i) * step;
  if (const Wide period = static_cast<Wide>(step) * modulus; value < other.first) {
    value += (other.first - value + period - 1) / period * period;
  }
  return value <= std::min(last, other.last) ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

std::optional<std::int64_t> NumberList::duplicate() const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    for (std::size_t j = i + 1; j < ranges_.size(); ++j) {
      if (const std::optional<std::int64_t> value = ranges_[i].shared(ranges_[j])) {
        return value;
      }
    }
  }
  return std::nullopt;
}

SweepRows::SweepRows(const Sweep& sweep) : sweep_(&sweep) {
  const std::int64_t factors[] = {sweep.threads.size(), sweep.registers ? sweep.registers->size() : 1,
                                  sweep.static_memory.size(), sweep.dynamic_memory.size(), sweep.barriers.size()};
  double product = 1;
  for (const std::int64_t factor : factors) {
    product *= static_cast<double>(factor);
  }
  for (const SweepPart& part : sweep.parts) {
    estimate_ += product * static_cast<double>(part.carveouts.size());
  }
  constexpr double most = 1e12;
  if (estimate_ > most) {
    return;
  }
  std::int64_t each = 1;
  for (const std::int64_t factor : factors) {
    each *= factor;
  }
  std::int64_t end = 0;
  for (const SweepPart& part : sweep.parts) {
    end += each * static_cast<std::int64_t>(part.carveouts.size());
    ends_.push_back(end);
  }
  size_ = end;
}

SweepRows::Walker SweepRows::from(std::int64_t index) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
  const auto part = static_cast<std::size_t>(end - ends_.begin());
  return {*sweep_, part, index - (part == 0 ? 0 : ends_[part - 1])};
}

SweepRows::Walker::Walker(const Sweep& sweep, std::size_t part, std::int64_t index_in_part)
    : sweep_(&sweep), row_{nullptr, sweep.kernel, sweep.launch} {
  enter_part(part);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    at_[axis] = index_in_part % sizes_[axis];
    index_in_part /= sizes_[axis];
    set(axis);
  }
}

void SweepRows::Walker::enter_part(std::size_t part) {
  part_ = part;
  if (part >= sweep_->parts.size()) {
    return;
  }
  row_.part = &sweep_->parts[part];
  sizes_ = {static_cast<std::int64_t>(row_.part->carveouts.size()),
            sweep_->barriers.size(),
            sweep_->dynamic_memory.size(),
            sweep_->static_memory.size(),
            sweep_->registers ? sweep_->registers->size() : 1,
            sweep_->threads.size()};
}

void SweepRows::Walker::set(std::size_t axis) {
  const std::int64_t at = at_[axis];
  switch (axis) {
    case 0: row_.launch.carveout = row_.part->carveouts[static_cast<std::size_t>(at)]; break;
    case 1: row_.kernel.barriers = static_cast<int>(sweep_->barriers[at]); break;
    case 2: row_.launch.dynamic_shared_memory = sweep_->dynamic_memory[at]; break;
    case 3: row_.kernel.static_shared_memory = sweep_->static_memory[at]; break;
    case 4:
      if (sweep_->registers) {
        row_.kernel.registers_per_thread = static_cast<int>((*sweep_->registers)[at]);
      }
      break;
    default: {
      const std::int64_t threads = sweep_->threads[at];
      row_.launch.block =
          threads < 0 ? sweep_->shapes[static_cast<std::size_t>(-1 - threads)] : Dim3{static_cast<int>(threads)};
    }
  }
}

void SweepRows::Walker::next() {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    at_[axis] = at_[axis] + 1 == sizes_[axis] ? 0 : at_[axis] + 1;
    set(axis);
    if (at_[axis] != 0) {
      return;
    }
  }
  enter_part(part_ + 1);
  if (part_ < sweep_->parts.size()) {
    set(0);  // the carveouts are those of the part
  }
}

}  // namespace occcalc
