import { BIN_DAYS, DAILY_DAYS, NEWEST_KEPT } from '../../../domain/saves.ts'
import { saveFilePath, savesPath } from '../../../domain/site-urls.ts'
import type { WebUse } from '../../../features/saves/access/model.ts'
import type { KeptSaves } from '../../../features/saves/library/service.ts'
import type { SaveList, SaveRevision, SaveSlot } from '../../../features/saves/slots/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/lists.tsx'
import { DoneNotice, Notice } from '../../components/notice.tsx'
import { StorageBar } from '../../components/storage-bar.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Badge, bytesText, countText, Moment } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { PageState } from '../../kit/pages.ts'
import { DeleteAll } from './all-saves.tsx'
import { WebUseSection } from './web-use.tsx'

const NOTICES = {
  restored: 'It is the current save again. What was current before stays in its history.',
  back: 'The save is back from the bin.',
  deleted: `The save is in the bin for ${BIN_DAYS} days.`,
  ended: 'It is deleted for good.',
  all: 'All your saves of this game are deleted.',
  yes: 'In the browser, this game now keeps its saves in your account.',
  no: 'In the browser, this game now keeps its saves there only.',
  ask: 'The game asks you when it is next played in the browser.',
}

/** The history of one save. */
export interface ShownHistory {
  slot: string
  revisions: Paged<SaveRevision>
}

interface SavesPageProps {
  state: PageState
  kept: KeptSaves
  web: WebUse
  list: SaveList
  bin: readonly SaveSlot[]
  history: ShownHistory | null
}

/** What a player keeps of a game: each save with its history, the bin, and what all of it takes up. */
export function SavesPage({ state: { visit, refused }, kept, web, list, bin, history }: SavesPageProps) {
  const { slots, quota } = list
  const isEmpty = slots.length === 0 && bin.length === 0
  return (
    <Layout visit={visit} title={`Saves of ${kept.name}`} style="library">
      <div class="library saves">
        <div class="row between">
          <h1>
            Saves of <bdi>{kept.name}</bdi>
          </h1>
          <span class="row">
            {kept.isOpen ? <a href={`/games/${kept.ref}`}>Store page</a> : null}
            <a href="/library">Library</a>
          </span>
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        {kept.isEnabled ? null : (
          <Notice tone="info">
            This game keeps no saves here at the moment. What you have stays, and you can download it.
          </Notice>
        )}
        <StorageBar storage={quota} label="Room for saves of this game" />
        {history ? <History {...{ kept, history }} url={visit.url} /> : null}
        {isEmpty ? <Empty /> : null}
        {slots.length === 0 ? null : (
          <section class="stack" aria-labelledby="saves">
            <div class="row between">
              <h2 id="saves">{countText(slots.length, 'save')}</h2>
              <a href={`${savesPath(kept.ref)}/all.zip`} download>
                Download all
              </a>
            </div>
            <ul class="save-list">
              {slots.map((save) => (
                <li key={save.slot} class="panel">
                  <Slot {...{ kept, save }} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {bin.length === 0 ? null : <Bin {...{ kept, bin }} />}
        <WebUseSection {...{ kept, web }} />
        {isEmpty ? null : <DeleteAll action={`${savesPath(kept.ref)}/delete-all`} what="of this game" />}
      </div>
    </Layout>
  )
}

function Empty() {
  return (
    <div class="empty">
      <h2>No saves yet</h2>
      <p>
        Once the game has saved something in your account, it is kept here with its history, whatever device
        it came from.
      </p>
    </div>
  )
}

interface SlotProps {
  kept: KeptSaves
  save: SaveSlot
}

function Slot({ kept, save }: SlotProps) {
  const { slot } = save
  return (
    <article class="save">
      <div class="about">
        <h3 dir="auto">{slot}</h3>
        <SaveFacts save={save} />
      </div>
      <div class="row acts">
        <a class="button" href={saveFilePath(kept.ref, slot)} download>
          Download<span class="visually-hidden"> {slot}</span>
        </a>
        <a class="button second" href={historyPath(kept, slot)}>
          History<span class="visually-hidden"> of {slot}</span>
        </a>
        <SaveForm {...{ kept, slot }} act="delete" label="Delete" />
      </div>
    </article>
  )
}

/** Where a save came from, and what it is. */
function SaveFacts({ save }: { save: Pick<SaveSlot, 'device' | 'note' | 'size' | 'at' | 'play_minutes'> }) {
  const { device, note, size, at, play_minutes } = save
  return (
    <>
      <p class="small">
        <Moment at={at} /> · {device === null ? 'Unnamed device' : <bdi>{device}</bdi>} ·{' '}
        <span class="fact">{bytesText(size)}</span>
        {play_minutes > 0 ? ` · after ${countText(play_minutes, 'minute')} of play` : null}
      </p>
      {note === null ? null : (
        <p class="quiet small" dir="auto">
          {note}
        </p>
      )}
    </>
  )
}

function historyPath({ ref }: KeptSaves, slot: string): string {
  return `${savesPath(ref)}?${new URLSearchParams({ slot }).toString()}#history`
}

interface SaveFormProps {
  kept: KeptSaves
  slot: string
  revision?: string
  act: 'delete' | 'restore' | 'end'
  label: string
}

function SaveForm({ kept, slot, revision, act, label }: SaveFormProps) {
  return (
    <PostForm action={`${savesPath(kept.ref)}/${act}`} class="">
      <input type="hidden" name="slot" value={slot} />
      {revision === undefined ? null : <input type="hidden" name="revision" value={revision} />}
      <Submit look={act === 'restore' ? 'second' : 'plain'}>
        {label}
        <span class="visually-hidden"> {slot}</span>
      </Submit>
    </PostForm>
  )
}

interface HistoryProps {
  kept: KeptSaves
  history: ShownHistory
  url: URL
}

/** As a line of time, newest first. */
function History({ kept, history: { slot, revisions }, url }: HistoryProps) {
  return (
    <section class="panel stack" id="history" aria-labelledby="history-title">
      <div class="row between">
        <h2 id="history-title">
          History of <bdi>{slot}</bdi>
        </h2>
        <a href={savesPath(kept.ref)}>Close</a>
      </div>
      <p class="quiet small">
        The newest {NEWEST_KEPT} and those of the last day are all kept, older ones one a day for {DAILY_DAYS}{' '}
        days.
      </p>
      <ol class="save-history">
        {revisions.items.map((revision) => (
          <li key={revision.revision}>
            <div class="about">
              <p class="row">
                {revision.current ? <Badge tone="good">Current</Badge> : null}
                {revision.refused ? (
                  <>
                    <Badge>Kept beside</Badge>
                    <span class="small">Another device was faster.</span>
                  </>
                ) : null}
              </p>
              <SaveFacts save={revision} />
            </div>
            <div class="row acts">
              <a class="button second" href={saveFilePath(kept.ref, slot, revision.revision)} download>
                Download<span class="visually-hidden"> this revision</span>
              </a>
              {revision.current ? null : (
                <>
                  <SaveForm {...{ kept, slot, revision: revision.revision }} act="restore" label="Restore" />
                  <SaveForm
                    {...{ kept, slot, revision: revision.revision }}
                    act="end"
                    label="Delete for good"
                  />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
      {revisions.items.length === 0 ? <p class="quiet">The history ends before this page.</p> : null}
      <Pager {...revisions} url={url} />
    </section>
  )
}

function Bin({ kept, bin }: { kept: KeptSaves; bin: readonly SaveSlot[] }) {
  return (
    <section class="stack" aria-labelledby="bin">
      <h2 id="bin">Bin</h2>
      <p class="quiet small">Deleted saves stay for {BIN_DAYS} days, and take up room meanwhile.</p>
      <ul class="save-list">
        {bin.map((save) => (
          <li key={save.slot} class="panel">
            <article class="save">
              <div class="about">
                <h3 dir="auto">{save.slot}</h3>
                <SaveFacts save={save} />
              </div>
              <div class="row acts">
                <SaveForm {...{ kept, slot: save.slot }} act="restore" label="Restore" />
                <SaveForm {...{ kept, slot: save.slot }} act="end" label="Delete for good" />
              </div>
            </article>
          </li>
        ))}
      </ul>
    </section>
  )
}
