import { Paged } from '../../http/input/schema.ts'
import { plural } from '../../lib/text/show.ts'
import { Pending } from '../builds/channels/model.ts'
import { requestEntry } from '../jams/entries/approval.ts'
import { Jam, JamSummary } from '../jams/jams/model.ts'
import { getJam, listJams } from '../jams/jams/service.ts'
import { JamEntryInput, JamInput, JamsInput } from './model.ts'
import { defineTool, toPage, UNTRUSTED } from './tool.ts'

const listTool = defineTool({
  name: 'list_jams',
  title: 'List jams',
  description: `Public game jams: coming, running, voting or past, what is next first; all of them newest first unless a state is given. ${UNTRUSTED}`,
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: JamsInput,
  output: Paged(JamSummary),
  run: async ({ deps }, _, { state = null, ...page }) => await listJams(deps, state, toPage(page)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'jam')}; page ${page}: ${items.map(({ slug, state }) => `${slug} (${state})`).join(', ') || 'nothing'}.`,
})

const jamTool = defineTool({
  name: 'get_jam',
  title: 'Read a jam',
  description: `The times, theme, rules, criteria and hosts of a jam, and what changed after its start. ${UNTRUSTED}`,
  scope: 'mcp:catalog.read',
  effect: 'read',
  input: JamInput,
  output: Jam,
  run: async ({ deps }, agent, { jam }) => await getJam(deps, agent, jam),
  summarize: ({ slug, state, ends_at }) => `The jam ${slug} is ${state}; it ends at ${ends_at}.`,
})

const enterJamTool = defineTool({
  name: 'enter_jam',
  title: 'Enter a jam',
  description:
    'Asks the owner of the project to enter it into a jam, with a note for its voters. The result is {"approval": "pending"} until the owner confirms the mailed link, which has to happen before the jam ends. Tell the person to look for that mail; do not call again.',
  scope: 'mcp:builds.write',
  effect: 'change',
  input: JamEntryInput,
  output: Pending,
  run: async ({ deps }, agent, { game_id, jam, note }) => {
    await requestEntry(deps, agent, jam, game_id, note)
    return { approval: 'pending' as const }
  },
  summarize: () =>
    'Waiting for approval: the owner of the project was sent a mail with a link to confirm the entry before the jam ends.',
})

export const JAM_TOOLS = [listTool, jamTool, enterJamTool]
