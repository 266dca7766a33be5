#include "informed/local_pdb_projection.hpp"

#include <algorithm>

#include "informed/backward_search.hpp"

namespace fewest {

namespace {

constexpr std::size_t kMostGoalCodes = 1 << 12;  // the maximum number of goal codes of a local PDB

}  // namespace

std::optional<LocalPdbProjection> LocalPdbProjection::filled(const LocalPdbBoard& board, std::vector<int> spots,
                                                     std::size_t most_states, std::size_t& num_filled) {
  LocalPdbProjection local_pdb(std::move(spots));
  local_pdb.most_states_ = most_states;
  if (!local_pdb.find_nodes(board)) return std::nullopt;
  local_pdb.find_steps(board);
  if (!local_pdb.find_goals(board)) return std::nullopt;
  BucketQueue<AbstractState> queue;
  const bool is_complete = backward_search(local_pdb, queue);
  num_filled += local_pdb.num_states();
  if (!is_complete) return std::nullopt;
  return local_pdb;
}

// Finds the nodes. Returns false if there are too many nodes.
bool LocalPdbProjection::find_nodes(const LocalPdbBoard& board) {
  const int num_places = board.pieces.num_places();
  std::vector<Word> blocked(num_places, 0);
  for (std::size_t i = 0; i < spots_.size(); ++i)
    for (int place : board.pieces.blocks[spots_[i]]) blocked[place] |= Word{1} << i;
  std::vector<int> node(num_places, -1), queue;
  for (int first = 0; first < num_places; ++first) {
    if (node[first] >= 0) continue;
    if (num_nodes_ == kMostNodes) return false;
    blocked_.push_back(blocked[first]);
    node[first] = num_nodes_;
    queue.assign(1, first);
    for (std::size_t i = 0; i < queue.size() && blocked[first] == 0; ++i)
      for (int place : board.near_places[queue[i]])
        if (node[place] < 0 && blocked[place] == 0) {
          node[place] = num_nodes_;
          queue.push_back(place);
        }
    ++num_nodes_;
  }
  node_of_.assign(node.begin(), node.end());
  for (int at = 0; at < num_nodes_; ++at) near_.push_back(Word{1} << at);
  for (int place = 0; place < num_places; ++place)
    for (int next : board.near_places[place]) {
      near_[node[place]] |= Word{1} << node[next];
      near_[node[next]] |= Word{1} << node[place];
    }
  return true;
}

void LocalPdbProjection::find_steps(const LocalPdbBoard& board) {
  for (const std::vector<char>& comes : board.reachable)
    most_pieces_ += std::any_of(spots_.begin(), spots_.end(), [&](int spot) { return comes[spot] != 0; });
  std::vector<Word> bit(board.pieces.num_spots(), 0);
  for (std::size_t i = 0; i < spots_.size(); ++i) bit[spots_[i]] = Word{1} << i;
  steps_to_.resize(num_nodes_);
  for (std::size_t m = 0; m < board.pieces.moves.size(); ++m) {
    const PieceMove& move = board.pieces.moves[m];
    Step step;
    step.flip = bit[move.deleted[0]] | bit[move.added[0]];
    if (step.flip == 0 || board.remaining_cost[m] == LocalPdbBoard::kUnreachable) continue;
    for (std::size_t i = 0; i < spots_.size(); ++i) {
      const Word one = Word{1} << i;
      if (has(move.true_spots.data(), spots_[i])) step.mask |= one, step.value |= one;
      if (has(move.false_spots.data(), spots_[i])) step.mask |= one;
    }
    step.more = (bit[move.deleted[0]] != 0) - (bit[move.added[0]] != 0);
    step.from = node_of_[move.from];
    step.to = node_of_[move.to];
    step.cost = board.remaining_cost[m];
    FEWEST_ASSERT(step.cost >= 0, "no reduced cost is negative");
    step.move = static_cast<int>(m);
    steps_to_[step.to].push_back(static_cast<int>(steps_.size()));
    steps_.push_back(step);
  }
}

// Computes the goal codes of the local PDB. Returns false if there are too many codes.
bool LocalPdbProjection::find_goals(const LocalPdbBoard& board) {
  const PieceCube& goal = board.pieces.goals[0];
  std::vector<Word> codes{0};
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    const int spot = spots_[i], g = board.distances.group_of(spot);
    const bool is_wanted = has(goal.true_spots.data(), spot);
    if (is_wanted)
      for (Word& code : codes) code |= Word{1} << i;
    const bool is_complete = g >= 0 && board.distances.alternatives()[0].groups[g].is_complete;
    if (is_wanted || has(goal.false_spots.data(), spot) || is_complete) continue;
    if (codes.size() >= kMostGoalCodes) return false;
    for (std::size_t at = codes.size(); at-- > 0;) codes.push_back(codes[at] | Word{1} << i);
  }
  std::erase_if(codes, [&](Word code) { return std::popcount(code) > most_pieces_; });
  goal_codes_ = std::move(codes);
  goal_place_ = goal.place;
  return true;
}

// The nodes to which the agent can walk.
Word LocalPdbProjection::region(Word code, int node) const {
  FEWEST_ASSERT(node >= 0 && node < num_nodes_ && (blocked_[node] & code) == 0,
                "the agent is at a node that is open");
  Word reached = Word{1} << node;
  for (Word frontier = reached; frontier != 0;) {
    Word found = 0;
    for_each_bit(frontier, [&](int at) { found |= near_[at]; });
    found &= ~reached;
    frontier = 0;
    for_each_bit(found, [&](int at) {
      if ((blocked_[at] & code) == 0) frontier |= Word{1} << at;
    });
    reached |= frontier;
  }
  return reached;
}

int LocalPdbProjection::detours(const PieceCube& state) const {
  Word code = 0;
  for (std::size_t i = 0; i < spots_.size(); ++i)
    code |= static_cast<Word>(has(state.true_spots.data(), spots_[i])) << i;
  return state.place >= 0 ? detours(code, state.place) : table_.least(code);
}

}  // namespace fewest
