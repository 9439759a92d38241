/// @file
/// Version of the library. CMake reads the three numbers from here, so they stand in one place only.
#pragma once

#define OCCCALC_VERSION_MAJOR 0
#define OCCCALC_VERSION_MINOR 1
#define OCCCALC_VERSION_PATCH 0

/// One comparable number: 10000 x major + 100 x minor + patch.
#define OCCCALC_VERSION (OCCCALC_VERSION_MAJOR * 10000 + OCCCALC_VERSION_MINOR * 100 + OCCCALC_VERSION_PATCH)
