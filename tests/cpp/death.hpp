// Runs, in a separate process, code that must abort.
#pragma once

#include <csignal>
#include <cstdio>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

// Returns the text that `run` writes to stderr before it aborts, or "" if it does not abort. Only one thread may be
// running.
template <class Run>
std::string last_words_of(Run run) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return "";
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    run();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char part[256];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;) words.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : "";
}
