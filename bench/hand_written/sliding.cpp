// Sliding blocks by hand: Rush Hour, Klotski and tiles, where a move takes one block to the next cell.
//
// Problem and solution: as in `breadth_first.hpp`; a state contains the first cell of every block.
// Usage: the input has the word "any", or "axis" if every block moves only along its longer side; then the rows of the
//   board (at most 64 cells and 16 blocks), where a letter or digit is a block, '#' a wall and '.' an empty cell; then
//   "goal"; then for each block of the goal its letter and the row and column of its first cell.
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "breadth_first.hpp"

namespace {

constexpr int NOWHERE = -1;
using Offset = std::pair<int, int>;  // rows and columns

struct Class {  // blocks that the search does not distinguish, because they have one shape and no place in the goal
    std::vector<Offset> cells;  // relative to the first cell
    std::vector<std::uint64_t> masks;  // for each first cell, the bits of all cells; 0 where the block does not fit
    std::vector<std::vector<std::uint8_t>> next;  // for each first cell, the first cells after one step
    std::vector<std::uint8_t> starts;
    int target = NOWHERE;
};

struct Board {
    std::vector<std::string> rows;

    int height() const { return static_cast<int>(rows.size()); }
    int width() const { return static_cast<int>(rows.front().size()); }
    int size() const { return height() * width(); }
    char at(int row, int column) const {
        return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    }
    std::uint64_t mask(const std::vector<Offset>& cells, int first) const {
        std::uint64_t found = 0;
        for (const auto& [down, right] : cells) {
            const int row = first / width() + down, column = first % width() + right;
            if (row < 0 || row >= height() || column < 0 || column >= width() || at(row, column) == '#') return 0;
            found |= std::uint64_t{1} << (row * width() + column);
        }
        return found;
    }
};

std::vector<Class> classes_of(const Board& board, const std::map<char, int>& goal, bool is_bound_to_axis) {
    std::map<char, std::pair<int, std::vector<Offset>>> blocks;  // the first cell, and the cells relative to it
    for (int cell = 0; cell < board.size(); ++cell) {
        const int row = cell / board.width(), column = cell % board.width();
        const char block = board.at(row, column);
        if (block == '#' || block == '.') continue;
        auto& [first, cells] = blocks.try_emplace(block, cell, std::vector<Offset>{}).first->second;
        cells.emplace_back(row - first / board.width(), column - first % board.width());
    }
    std::vector<Class> classes;
    for (const auto& [block, place] : blocks) {
        const auto& [first, cells] = place;
        const auto target = goal.find(block);
        if (target == goal.end()) {
            const auto same = std::find_if(classes.begin(), classes.end(), [&cells = cells](const Class& other) {
                return other.cells == cells && other.target == NOWHERE;
            });
            if (same != classes.end()) {
                same->starts.push_back(static_cast<std::uint8_t>(first));
                continue;
            }
        }
        Class found{cells, {}, {}, {static_cast<std::uint8_t>(first)}, NOWHERE};
        if (target != goal.end()) found.target = target->second;
        for (int cell = 0; cell < board.size(); ++cell) found.masks.push_back(board.mask(cells, cell));
        const bool is_wide = cells.back().second != 0;
        for (int cell = 0; cell < board.size(); ++cell) {
            auto& next = found.next.emplace_back();
            for (const auto& [down, right] : {Offset{-1, 0}, Offset{1, 0}, Offset{0, -1}, Offset{0, 1}}) {
                if (is_bound_to_axis && is_wide != (right != 0)) continue;
                const int row = cell / board.width() + down, column = cell % board.width() + right;
                if (row < 0 || row >= board.height() || column < 0 || column >= board.width()) continue;
                const int moved = row * board.width() + column;
                if (found.masks[static_cast<std::size_t>(moved)]) next.push_back(static_cast<std::uint8_t>(moved));
            }
        }
        classes.push_back(found);
    }
    return classes;
}

}  // namespace

int main() {
    std::string word;
    std::cin >> word;
    const bool is_bound_to_axis = word == "axis";
    Board board;
    while (std::cin >> word && word != "goal") board.rows.push_back(word);
    std::map<char, int> goal;
    char letter = 0;
    for (int row = 0, column = 0; std::cin >> letter >> row >> column;) goal[letter] = row * board.width() + column;
    const auto classes = classes_of(board, goal, is_bound_to_axis);

    State start{};
    std::vector<const Class*> class_at;  // the class of each byte of a state
    std::vector<std::pair<std::size_t, int>> targets;
    for (const auto& each : classes) {
        if (each.target != NOWHERE) targets.emplace_back(class_at.size(), each.target);
        for (const auto first : each.starts) {
            start[class_at.size()] = first;
            class_at.push_back(&each);
        }
    }
    const auto is_goal = [&](const State& state) {
        return std::all_of(targets.begin(), targets.end(), [&](const auto& one) { return state[one.first] == one.second; });
    };
    breadth_first(start, is_goal, [&](const State& state, auto&& add) {
        std::uint64_t covered = 0;
        for (std::size_t block = 0; block < class_at.size(); ++block) covered |= class_at[block]->masks[state[block]];
        for (std::size_t block = 0; block < class_at.size(); ++block) {
            const auto& its = *class_at[block];
            const auto others = covered ^ its.masks[state[block]];
            for (const auto moved : its.next[state[block]]) {
                if (its.masks[moved] & others) continue;
                State successor = state;
                std::size_t place = block;  // the blocks of a class stay in the order of their cells
                for (; place > 0 && class_at[place - 1] == &its && successor[place - 1] > moved; --place) {
                    successor[place] = successor[place - 1];
                }
                for (; place + 1 < class_at.size() && class_at[place + 1] == &its && successor[place + 1] < moved; ++place) {
                    successor[place] = successor[place + 1];
                }
                successor[place] = moved;
                add(successor);
            }
        }
    });
}
