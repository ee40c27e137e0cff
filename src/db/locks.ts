/** Numbers of the database's advisory locks. They only have to differ from each other. */
export const LOCKS = {
  migration: 7_065_001,
  /** With a second number: the runner of jobs that holds it. */
  jobRunner: 7_065_002,
  serve: 7_065_003,
  /** With a second number: the process that holds it. */
  process: 7_065_004,
  searchIndex: 7_065_005,
  /** With a second number: the username. */
  username: 7_065_006,
} as const
