// The checkers of certificates under the sanitizers: bytes that nobody meant neither crash them nor convince.
#include <random>
#include <string>

#include "check.hpp"
#include "layers.hpp"
#include "lrat.hpp"

using namespace fewest::checkers;

namespace {

using Clauses = std::vector<std::vector<std::int32_t>>;

bool accepts(const Clauses& clauses, const std::string& proof) {
  LratChecker checker(1 << 24);
  try {
    for (const auto& clause : clauses) {
      for (const std::int32_t literal : clause) checker.add(literal);
      checker.add(0);
    }
    checker.feed(proof.data(), proof.size());
    checker.finish();
  } catch (const WrongProof&) {
    return false;
  } catch (const ProofTooLarge&) {
    return false;
  }
  return true;
}

std::string line(std::uint64_t id, const std::vector<std::int32_t>& literals,
                 const std::vector<std::uint64_t>& hints) {
  std::string out = "a";
  const auto put = [&](std::uint64_t value) {
    for (; value > 127; value >>= 7) out += static_cast<char>((value & 127) | 128);
    out += static_cast<char>(value);
  };
  put(2 * id);
  for (const std::int32_t l : literals) put(l > 0 ? 2 * l : -2 * l + 1);
  put(0);
  for (const std::uint64_t hint : hints) put(2 * hint);
  put(0);
  return out;
}

const Clauses kRefuted = {{1, 2}, {1, -2}, {-1, 3}, {-1, -3}};
// Ids 1 and 2 are clauses of the formula, 3 is derived, 4 and 5 are the formula's others.
const std::string kProof = line(3, {1}, {1, 2}) + std::string("d\x02\x04\x00", 4) + line(6, {}, {3, 4, 5});

void a_proof_is_accepted_for_its_formula_alone() {
  CHECK(accepts(kRefuted, kProof));
  CHECK(!accepts({{1, 2}, {1, -2}, {-1, 3}}, kProof));
  CHECK(!accepts({{1, 2}, {1, -2}, {-1, 3}, {-1, -3, 4}}, kProof));
  CHECK(!accepts({{1, 2}, {-1, 3}, {1, -2}, {-1, -3}}, kProof));
  CHECK(!accepts(kRefuted, kProof.substr(0, kProof.size() - 1)));
  CHECK(!accepts(kRefuted, line(3, {}, {1, 2})));
  CHECK(!accepts(kRefuted, line(5, {}, {5})));
}

void changed_proofs_prove_nothing_that_is_false() {
  const Clauses satisfiable = {{1, 2}, {1, -2}, {-1, 3}, {-1, -3, 4}};
  std::mt19937 chance(1);
  for (int round = 0; round < 200'000; ++round) {
    std::string proof = kProof;
    for (std::uint32_t left = chance() % 4 + 1; left > 0; --left) {
      const std::size_t at = chance() % proof.size();
      if (chance() % 4 == 0) proof.erase(at, chance() % 3);
      else if (chance() % 2 == 0) proof.insert(at, 1, static_cast<char>(chance()));
      else proof[at] = static_cast<char>(chance() % 8 == 0 ? chance() : chance() % 16);
      if (proof.empty()) break;
    }
    CHECK(!accepts(satisfiable, proof));
    accepts(kRefuted, proof);
  }
}

std::string rows(const std::vector<std::uint64_t>& words) {
  std::string out;
  for (std::uint64_t word : words)
    for (int byte = 0; byte < 8; ++byte, word >>= 8) out += static_cast<char>(word & 255);
  return out;
}

// A walk along `size` places, from the first to the last, one step a move; runs of steps in two colours.
LayersQuestion walk(int size) {
  LayersQuestion out;
  std::vector<std::uint64_t> mask, value;
  PartRows part;
  for (int at = 0; at + 1 < size; ++at) {
    const std::uint64_t here = std::uint64_t{1} << at;
    mask.push_back(here | here << 1);
    value.push_back(here);
    out.task.index_fact.push_back(at);
    part.weight.push_back(1);
    part.run_in.push_back(-1);
    part.run_out.push_back(-1);
  }
  out.task.initial = rows({1});
  out.task.operators = {rows(mask), rows(value)};
  out.task.flip = rows(mask);
  const std::uint64_t last = std::uint64_t{1} << (size - 1);
  out.task.goals = {rows({last}), rows({last})};
  out.parts = {part};
  std::vector<int> places(size);
  for (int at = 0; at < size; ++at) places[at] = at;
  out.groups = {{places, 1}};
  out.runs = {{}};
  out.bound = std::vector<std::uint64_t>{static_cast<std::uint64_t>(size - 1)};
  for (int at = 0; at + 1 < size; ++at) out.layers.push_back({{static_cast<std::uint64_t>(at)}, 1});
  return out;
}

bool holds(const LayersQuestion& question, const std::string& body) {
  try {
    check_layers(question, body, 10, 1 << 24);
  } catch (const Rejected&) {
    return false;
  } catch (const GivenUp&) {
    return false;
  }
  return true;
}

void layers_of_a_walk_are_accepted_and_no_others() {
  const LayersQuestion question = walk(20);
  std::string body;
  for (char at = 0; at < 19; ++at) body += at;
  CHECK(holds(question, body));
  std::mt19937 chance(2);
  for (int round = 0; round < 20'000; ++round) {
    std::string other = body;
    other[chance() % other.size()] = static_cast<char>(chance() % 4 == 0 ? chance() : chance() % 20);
    if (chance() % 4 == 0) other.erase(chance() % other.size(), 1);
    CHECK(holds(question, other) == (other == body));
  }
  LayersQuestion more = question;
  more.bound = std::vector<std::uint64_t>{20};
  CHECK(!holds(more, body));
  LayersQuestion many = question;
  many.layers[3].second = std::uint64_t{1} << 60;
  CHECK(!holds(many, body));
  many.layers[3] = {{~std::uint64_t{0}}, 1};
  CHECK(!holds(many, body));
}

const check::Suite suite("checkers", [] {
  a_proof_is_accepted_for_its_formula_alone();
  changed_proofs_prove_nothing_that_is_false();
  layers_of_a_walk_are_accepted_and_no_others();
});

}  // namespace
