/** Keys of the Postgres advisory locks. They only have to differ from each other. */
export const LOCKS = {
  migration: 7_065_001,
  /** The second key is the job runner that holds it. */
  jobRunner: 7_065_002,
  serve: 7_065_003,
  /** The second key is the process that holds it. */
  process: 7_065_004,
  searchIndex: 7_065_005,
  /** The second key is the username. */
  username: 7_065_006,
  /** The second key is the e-mail address. */
  email: 7_065_007,
  statementKeys: 7_065_008,
  invitations: 7_065_009,
  /** The second key is the holder and the game. */
  license: 7_065_010,
  collections: 7_065_011,
  setup: 7_065_012,
  operatorActs: 7_065_013,
} as const
