/// The commands, each from arguments to exit status.
#pragma once

#include "cli/arguments.hpp"

namespace occcalc::cli {

enum ExitStatus : int {
  answered = 0,
  answered_no = 1,       ///< a gate that was asked for was not met
  could_not_answer = 2,  ///< usage, unreadable input
};

/// `occcalc [options]`: one configuration.
ExitStatus run_calculator(const Arguments& arguments);

/// `occcalc archs [ARCH...]`: the limits themselves.
ExitStatus run_archs(const Arguments& arguments, const std::vector<std::string>& names);

/// `occcalc gpus [NAME...]`: GPU products.
ExitStatus run_gpus(const Arguments& arguments, const std::vector<std::string>& names);

/// `occcalc kernels [FILE...]`: every kernel in compiler logs, profiler exports, traces.
ExitStatus run_kernels(const Arguments& arguments, const std::vector<std::string>& paths);

}  // namespace occcalc::cli
