/// @file
/// Everything of the occcalc library.
#pragma once

#include "occcalc/active_blocks_table.hpp"
#include "occcalc/arch_catalog.hpp"
#include "occcalc/block_sizes.hpp"
#include "occcalc/budget.hpp"
#include "occcalc/cliffs.hpp"
#include "occcalc/compute_capability.hpp"
#include "occcalc/error.hpp"
#include "occcalc/explain.hpp"
#include "occcalc/findings.hpp"
#include "occcalc/gpu.hpp"
#include "occcalc/gpu_binaries.hpp"
#include "occcalc/kernel.hpp"
#include "occcalc/occupancy.hpp"
#include "occcalc/occupancy_table.hpp"
#include "occcalc/readers.hpp"
#include "occcalc/sm_limits.hpp"
#include "occcalc/sweep.hpp"
#include "occcalc/version.hpp"
#include "occcalc/waves.hpp"
