// The marks of an entry of a layer: the operators that reached it, in free bits of its state.
//
// Problem: if moves are reversible, every state is generated again from each of its successors. In the 3x4 tiles that
// is a third of all states that are generated, sorted, and then recognised as known.
// Solution: frontier search (Korf, Zhang, Thayer and Hohwald, "Frontier search", JACM 52, 2005). Operators have one
// of a few colours. An entry is `state << bits | marks`; if an operator leads to a state, the colour of its inverse
// is marked there. The marks of equal states are united, so that those of a state in layer d name the operators that
// lead back to layer d - 1. A mark is used only if exactly one operator of that colour applies; so any colours are
// sound, and good ones leave no doubt: operators that are translations of one another get the same colour, by the
// distance between the facts that they exchange.
#pragma once

#include <optional>
#include <vector>

#include "state/compiler.hpp"

namespace fewest {

struct Marks {
  int bits = 0;
  std::vector<Word> own, undone_by;  // per operator: the bit of its colour, of that of its inverse
};

// For a problem of one word in which every operator is reversible; nullopt if there is no room.
std::optional<Marks> find_marks(const Problem& problem, const Layout& layout);

// Whether some sum over facts, modulo two, changes with every operator: then no two states of a layer are
// one operator apart.
bool has_parity(const Problem& problem);

}  // namespace fewest
