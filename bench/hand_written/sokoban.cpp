// Sokoban by hand, where every step of the player is a move.
//
// Problem and solution: as in `breadth_first.hpp`; a state contains the cell of the player and then, in order, the cells
//   of the boxes.
// Usage: the input is a level in the usual characters, with at most 255 cells and 15 boxes.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "breadth_first.hpp"

int main() {
    std::vector<std::string> rows;
    std::size_t width = 0;
    for (std::string line; std::getline(std::cin, line);) {
        rows.push_back(line);
        width = std::max(width, line.size());
    }
    std::string level;
    for (const auto& row : rows) level += row + std::string(width - row.size(), '#');

    std::vector<bool> is_target(level.size());
    State start{};
    std::size_t pieces = 1;
    for (std::size_t cell = 0; cell < level.size(); ++cell) {
        const char content = level[cell];
        is_target[cell] = content == '.' || content == '*' || content == '+';
        if (content == '@' || content == '+') start[0] = static_cast<std::uint8_t>(cell);
        if (content == '$' || content == '*') start[pieces++] = static_cast<std::uint8_t>(cell);
    }
    const auto is_goal = [&](const State& state) {
        return std::all_of(state.begin() + 1, state.begin() + pieces, [&](std::uint8_t cell) { return is_target[cell]; });
    };
    const int down = static_cast<int>(width);
    breadth_first(start, is_goal, [&](const State& state, auto&& add) {
        const auto boxes_end = state.begin() + pieces;
        for (const int direction : {-down, down, -1, 1}) {
            const auto next = static_cast<std::uint8_t>(state[0] + direction);
            if (level[next] == '#') continue;
            State successor = state;
            successor[0] = next;
            const auto box = std::find(state.begin() + 1, boxes_end, next);
            if (box != boxes_end) {
                const auto behind = static_cast<std::uint8_t>(next + direction);
                if (level[behind] == '#' || std::find(state.begin() + 1, boxes_end, behind) != boxes_end) continue;
                successor[static_cast<std::size_t>(box - state.begin())] = behind;
                std::sort(successor.begin() + 1, successor.begin() + pieces);
            }
            add(successor);
        }
    });
}
