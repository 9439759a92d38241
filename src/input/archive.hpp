/// Archives of `ar`: GNU's and BSD's names, and thin ones, whose members are files beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "input/bytes.hpp"
#include "input/magic.hpp"

namespace occcalc::input {

struct ArchiveMember {
  std::string name{};
  std::uint64_t begin = 0;  ///< of its bytes in the archive
  std::uint64_t end = 0;
  bool is_file = false;  ///< outside of the archive: it has no bytes in it. Of an archive in a thin one: once for all
};

/// Goes from member to member; tables of symbols and names are passed over.
class Archive {
 public:
  [[nodiscard]] static bool begins(std::string_view bytes) noexcept {
    return bytes.starts_with(archive_magic) || bytes.starts_with(thin_archive_magic);
  }

  /// `bytes` begins as an archive.
  explicit Archive(Bytes bytes) : bytes_(bytes), is_thin_(bytes.view().starts_with(thin_archive_magic)) {}

  /// nullopt at the end. Throws Malformed, after which it is at the end.
  [[nodiscard]] std::optional<ArchiveMember> next();

 private:
  [[nodiscard]] std::string name_of(std::string_view field, std::uint64_t size, std::uint64_t& begin) const;

  Bytes bytes_;
  bool is_thin_;
  std::uint64_t at_ = archive_magic.size();
  std::string_view long_names_;
  std::string origin_;  // the archive that the last member is of, where a thin one holds archives
};

}  // namespace occcalc::input
