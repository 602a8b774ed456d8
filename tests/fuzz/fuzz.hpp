#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Each tests/fuzz/*_fuzz.cpp is a target: it defines the four functions below, and fuzz.cpp makes a program
/// of them. With libFuzzer (preset fuzz) that is its entry, without it one that mutates by itself:
///   TARGET [ROUNDS [SEED]]        tries that many inputs
///   TARGET --write-corpus DIR     writes inputs to start from into DIR, and DIR.dict, a dictionary
namespace drydock::fuzz {

/// Any bytes: no crash, no wrong memory, and what is true of every input is required.
void try_one(std::string_view input);

/// How many inputs, from number 0 on, are the same for every seed.
std::uint64_t fixed_inputs();

/// An input of which the target makes something, the same for the same seed.
std::string make_input(std::uint32_t seed, std::uint64_t number);

/// What the target's format makes something of.
std::vector<std::string_view> words();

/// Ends the program with the input that is tried, unless it holds.
void require(bool holds, const char* what);

}  // namespace drydock::fuzz
