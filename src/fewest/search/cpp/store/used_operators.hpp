// The marks of an entry of a layer: by which operators it was reached, in bits that its state leaves free.
//
// Problem: where moves can be undone, every state is made again from each of its successors. In the 3x4
// tiles that is a third of all that is generated, sorted, and then found to be known.
// Solution: frontier search (Korf, Zhang, Thayer and Hohwald, "Frontier search", JACM 52, 2005). Operators
// have one of a few colours. An entry is `state << bits | marks`; where an operator leads to a state, the
// colour of the one that undoes it is marked there. Of equal states the marks are united, so that those of
// a state in layer d say which operators lead back to layer d - 1. A mark is believed where one operator
// alone of that colour applies; so any colours are right, and good ones leave no doubt: those of operators
// that are translations of one another, told by how far apart the facts are that they exchange.
#pragma once

#include <optional>
#include <vector>

#include "state/compiler.hpp"

namespace fewest {

struct Marks {
  int bits = 0;
  std::vector<Word> own, undone_by;  // per operator: the bit of its colour, of that of its inverse
};

// For a problem in which every operator can be undone, of one word; nothing if there is no room.
std::optional<Marks> find_marks(const Problem& problem, const Layout& layout);

// Whether some sum over facts, modulo two, changes with every operator: then no two states of a layer are
// one operator apart.
bool has_parity(const Problem& problem);

}  // namespace fewest
