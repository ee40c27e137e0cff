import { PLAYERS_SHOWN_FROM, SAVE_BYTES_MAX, SLOTS_MAX } from '../../../domain/saves.ts'
import type { SavesInsight } from '../../../features/saves/insight/service.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Table } from '../../components/lists.tsx'
import { Check, FaultSummary, FieldGroup, PostForm, Submit } from '../../kit/form.tsx'
import { bytesText, countText, numberText } from '../../kit/labels.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { SNIPPETS } from './snippets.ts'

const NOTICES = {
  on: 'Players can keep saves in their accounts now.',
  off: 'Saves are off. What players have stays theirs.',
}

interface SavesTabProps extends TabProps {
  insight: SavesInsight
  /** Bytes that each player may keep. */
  quota: number
}

/** Whether a game keeps saves, and how that goes; never what players saved. */
export function SavesTab({ project, state: { visit, refused }, insight, quota }: SavesTabProps) {
  const { vanity_name, saves } = project.listing
  return (
    <StudioPage
      {...{ visit, project }}
      tab="saves"
      lead="Saves that follow your players from device to device, kept in their accounts. You cannot read them."
      notices={NOTICES}
      scripts={['studio', 'copy']}
    >
      <FaultSummary form={refused?.form} />
      <FieldGroup id="switch" title="Saves in accounts">
        <PostForm action={`/studio/${vanity_name}/saves`}>
          <Check
            {...{ name: 'enabled', checked: saves.enabled, scope: 'saves' }}
            label="Players can keep saves in their accounts"
            hint={`Turn it on once your game writes them: each player has room for ${bytesText(quota)}, in at most ${SLOTS_MAX} saves of up to ${bytesText(SAVE_BYTES_MAX)}. Turned off, saves stay, but nothing can read or write them except their players.`}
          />
          <Submit>Save</Submit>
        </PostForm>
      </FieldGroup>
      <HowTo />
      <section class="stack" aria-labelledby="use">
        <h2 id="use">Use</h2>
        {insight.use === null ? (
          <p class="quiet">Fewer than {PLAYERS_SHOWN_FROM} players keep saves of it.</p>
        ) : (
          <p>
            {countText(insight.use.players, 'player')} keep {bytesText(insight.use.bytes)}:{' '}
            {bytesText(insight.use.bytes / insight.use.players)} each on average.
          </p>
        )}
      </section>
      <section class="stack" aria-labelledby="faults">
        <h2 id="faults">Conflicts and failures</h2>
        <p class="quiet">
          In a conflict two devices changed the same save, and both were kept. A failure is a write of which
          nothing was kept, for example because it did not fit.
        </p>
        {insight.faults.length === 0 ? <p class="quiet">None so far.</p> : <Faults faults={insight.faults} />}
      </section>
    </StudioPage>
  )
}

/** How a game writes saves: in the browser by a script of the store, installed by what shelf.json says, or by the API. */
function HowTo() {
  return (
    <section class="stack" aria-labelledby="how-to">
      <h2 id="how-to">In your game</h2>
      <p>
        A game that is played in the browser writes saves with a script of this store. Players who are signed
        in are asked once whether it may use their account; everybody else keeps saves in their browser, by
        the same functions.
      </p>
      {SNIPPETS.map(({ id, engine, note, text }) => (
        <details key={id} id={id} class="stack">
          <summary>{engine}</summary>
          <p class="quiet small">{note}</p>
          <CopyBlock id={`${id}-code`} title={`Saves in ${engine}`} text={text} />
        </details>
      ))}
      <p>
        Installed games need no code: <code>saves</code> in <code>shelf.json</code> names the files, and{' '}
        <code>shelf run</code> carries them. Everything else can use{' '}
        <a href="/docs#tag-saves">the API for saves</a>.
      </p>
    </section>
  )
}

function Faults({ faults }: Pick<SavesInsight, 'faults'>) {
  return (
    <Table
      label="Conflicts and failures by build"
      columns={['Build', { number: 'Conflicts' }, { number: 'Failures' }]}
    >
      {faults.map(({ buildUid, version, os, conflicts, failures }) => (
        <tr key={buildUid ?? ''}>
          <td>{buildUid === null ? 'Unknown build' : `${version} · ${os}`}</td>
          <td class="number">{numberText(conflicts)}</td>
          <td class="number">{numberText(failures)}</td>
        </tr>
      ))}
    </Table>
  )
}
