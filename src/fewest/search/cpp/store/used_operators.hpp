// The marks of an entry in a layer: otherwise unused bits of its state, which record the operators that reached the
// state.
//
// Problem: if moves are reversible, every state is generated again from each of its successors. In the 3x4 sliding-tile
// puzzle, a third of all generated states are sorted only to be recognised as known.
// Solution: frontier search (Korf, Zhang, Thayer and Hohwald, "Frontier search", JACM 52, 2005). Each operator has one
// of a few colours. An entry is `state << bits | marks`. If an operator leads to a state, the colour of the inverse
// operator is marked in the entry of this state. When equal states are merged, their marks are combined, so the marks
// of a state in layer d contain the colours of the operators that lead back to layer d - 1. A mark is used only if
// exactly one operator of its colour applies. Therefore every colouring is sound. With a good colouring, usually only
// one operator of a colour applies. The colour of an operator depends only on the distances between the facts that it
// exchanges, so operators that are translations of each other have the same colour.
#pragma once

#include <optional>
#include <vector>

#include "state/compiler.hpp"

namespace fewest {

struct Marks {
  int bits = 0;
  std::vector<Word> own, undone_by;  // per operator: the bit of its colour (`own`), and that of its inverse's colour
};

// Chooses the colours of the operators of a problem in which every operator is reversible. Returns nullopt if a packed
// state takes several words, or if there are more colours than free bits or more than eight.
std::optional<Marks> find_marks(const Problem& problem, const Layout& layout);

// Whether there is a set of facts for which every operator changes the parity of the number of true facts. In that
// case, no operator leads from a state to another state in the same layer.
bool has_parity(const Problem& problem);

}  // namespace fewest
