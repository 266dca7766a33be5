// A file that stores the states of an A* search between two rounds. A new version always replaces the whole file.
//
// Problem: if a search takes hours, it must be possible to resume it after its process has ended. The states alone are
// sufficient for this.
// Solution: the file contains all states, then the costs of all states, and then the parents of all states, each part
// by part. The open list is rebuilt from these data. By default, the file is written at most once a minute, and writing
// takes at most a twentieth of the total time. States are numbered across all parts, so a search with a different
// number of parts can use the file, too.
#pragma once

#include <string>

#include "state/problem.hpp"
#include "state/state_table.hpp"
#include "store/blocks.hpp"
#include "store/checkpoint_file.hpp"

namespace fewest {

class AstarCheckpoint {
 public:
  // The data that the file contains in addition to the states. Each field is a word.
  struct Counts {
    Word key = 0;  // a fingerprint of the problem (Exchange::shape)
    Word num_states = 0, num_expanded = 0, num_generated = 0, num_dead = 0, num_corrals = 0;
    Word least_f = 0;
    Word finish = kNoState, finish_cost = 0;  // the end of the cheapest plan so far
  };

  // The arguments have the same meaning as those of CheckpointFile.
  AstarCheckpoint(std::string path, double every) : file_(std::move(path), every) {}

  bool is_wanted() const { return file_.is_wanted(); }
  bool is_due() const { return file_.is_due(); }

  // The function `write` calls out(data, bytes) for the contents of the file. Returns false if the disk is full. Throws
  // FileError.
  template <class Write>
  [[nodiscard]] bool write(const Counts& counts, Write write) {
    return file_.write([&](File& file) {
      Head head{kMagic, 0, counts};
      std::uint64_t at = sizeof head;
      head.checksum = checksum(&counts, sizeof counts, kMagic);
      write([&](const void* data, std::size_t bytes) {
        file.write(data, bytes, at);
        head.checksum = checksum(data, bytes, head.checksum);
        at += bytes;
      });
      file.write(&head, sizeof head, 0);
    });
  }

  // The function `read` calls in(data, bytes) for the data that `write` wrote, in chunks of the same sizes.
  // `row_bytes`: the size of each state. Returns false if the file does not exist. Throws FileError, and Damage if the
  // file belongs to another search or has been modified.
  template <class Read>
  bool read(Word key, std::size_t row_bytes, Read read) const {
    return file_.read([&](const File& file) {
      Head head;
      file.read(&head, sizeof head, 0);
      if (head.magic != kMagic || head.counts.key != key) throw Damage(file.path(), "it belongs to another search");
      if (head.counts.num_states != (file.size() - sizeof head) / row_bytes)
        throw Damage(file.path(), "the number of its states is not the number in its header");
      std::uint64_t at = sizeof head;
      Word sum = checksum(&head.counts, sizeof head.counts, kMagic);
      read(head.counts, [&](void* data, std::size_t bytes) {
        file.read(data, bytes, at);
        sum = checksum(data, bytes, sum);
        at += bytes;
      });
      if (sum != head.checksum || at != file.size()) throw Damage(file.path(), "its checksum is wrong");
    });
  }

 private:
  static constexpr Word kMagic = 0x31'65'74'61'74'73;  // "state1"

  struct Head {
    Word magic, checksum;
    Counts counts;
  };

  CheckpointFile file_;
};

}  // namespace fewest
