// A folder for a test; the destructor deletes it.
#pragma once

#include <filesystem>
#include <random>
#include <string>

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("fewest-store-" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

