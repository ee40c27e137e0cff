import type { Deps } from '../deps.ts'
import { STABLE } from '../domain/builds/channels.ts'
import { promote } from '../features/builds/channels/service.ts'
import { connectProgram, findBetaBuild } from './agents-queries.ts'
import { DEVELOPERS } from './people.ts'

const PROGRAM = {
  clientId: 'demo-release-helper',
  name: 'Release helper',
  scopes: ['mcp:builds.read', 'mcp:builds.write'],
}

/** Connects a program to a demo developer and lets it ask, once, to release a build: see the mail and `/account`. */
export async function loadDemoAgent(deps: Deps): Promise<void> {
  const beta = await findBetaBuild(deps.db, DEVELOPERS['lantern-works'].email)
  if (!beta || !(await connectProgram(deps.db, beta.userUid, PROGRAM))) return
  const { clientId, scopes } = PROGRAM
  const person = { userUid: beta.userUid, adultContent: false, hiddenTags: [] }
  const agent = { kind: 'agent', ...person, clientId, tokenId: clientId, scopes } as const
  await promote(deps, agent, beta.gameUid, STABLE, { build_id: beta.buildUid })
}
