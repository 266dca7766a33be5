// Breadth-first search as an experienced programmer writes it for a single puzzle.
//
// Problem: `bench.other_programs` compares `fewest` with a program that is written for one kind of puzzle.
// Solution: a state is 16 bytes, one for each piece. One vector contains all reached states in the order in which the
//   search reaches them, so it is also the queue. A hash table with open addressing contains their numbers.
// Usage: `breadth_first(start, is_goal, for_each_successor)` prints the minimum (or "none"), the number of reached
//   states and the CPU seconds of the search.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

using State = std::array<std::uint8_t, 16>;

class Reached {
public:
    Reached() : places_(1 << 12, NONE) {}

    const State& operator[](std::uint32_t number) const { return states_[number]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(states_.size()); }
    std::uint32_t predecessor(std::uint32_t number) const { return predecessors_[number]; }

    bool insert(const State& state, std::uint32_t predecessor) {
        std::size_t place = place_of(state);
        if (places_[place] != NONE) return false;
        places_[place] = size();
        states_.push_back(state);
        predecessors_.push_back(predecessor);
        if (states_.size() * 2 > places_.size()) grow();
        return true;
    }

private:
    static constexpr std::uint32_t NONE = 0xffffffff;

    // The place of the state, or the empty place where it belongs.
    std::size_t place_of(const State& state) const {
        std::uint64_t words[2];
        std::memcpy(words, state.data(), sizeof words);
        std::uint64_t hash = (words[0] ^ (words[1] * 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
        const std::size_t mask = places_.size() - 1;
        std::size_t place = hash & mask;
        while (places_[place] != NONE && states_[places_[place]] != state) place = (place + 1) & mask;
        return place;
    }

    void grow() {
        places_.assign(places_.size() * 2, NONE);
        for (std::uint32_t number = 0; number < size(); ++number) places_[place_of(states_[number])] = number;
    }

    std::vector<State> states_;
    std::vector<std::uint32_t> predecessors_;
    std::vector<std::uint32_t> places_;
};

template <typename IsGoal, typename ForEachSuccessor>
void breadth_first(const State& start, IsGoal is_goal, ForEachSuccessor for_each_successor) {
    const std::clock_t began = std::clock();
    Reached reached;
    reached.insert(start, 0);
    bool is_solved = is_goal(start);
    for (std::uint32_t next = 0; next < reached.size() && !is_solved; ++next) {
        const State state = reached[next];  // a copy, because the vector grows
        for_each_successor(state, [&](const State& successor) {
            if (!is_solved && reached.insert(successor, next)) is_solved = is_goal(successor);
        });
    }
    std::uint32_t minimum = 0;
    for (auto at = reached.size() - 1; is_solved && at != 0; at = reached.predecessor(at)) ++minimum;
    const double taken = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    std::printf(is_solved ? "%u" : "none", minimum);
    std::printf(" %u %.6f\n", reached.size(), taken);
}
