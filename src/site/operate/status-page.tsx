import type { CheckItem } from '../../features/operate/setup/checklist.ts'
import type { Status } from '../../features/operate/status/model.ts'
import { PostForm, Submit } from '../kit/form.tsx'
import { Badge, bytesText, countText, numberText } from '../kit/labels.tsx'
import type { PageState } from '../kit/pages.ts'
import { OperateFrame, Tile } from './operate-frame.tsx'
import { Requests } from './requests.tsx'

const NOTICES = {
  rebuild: 'The search index is being rebuilt.',
}

interface StatusPageProps {
  state: PageState
  status: Status
  checklist: readonly CheckItem[]
}

export function StatusPage({ state, status, checklist }: StatusPageProps) {
  return (
    <OperateFrame state={state} tab="/operate" notices={NOTICES}>
      <Checklist items={checklist} />
      <Tiles status={status} />
      <div class="operate-columns">
        <Services status={status} />
        <Search status={status} />
        <Queues status={status} />
        <Storage status={status} />
      </div>
      <Requests requests={status.requests} />
    </OperateFrame>
  )
}

function Tiles({ status }: { status: Status }) {
  const down = status.services.filter(({ up }) => !up).length
  const failed = status.queues.reduce((sum, queue) => sum + queue.failed, 0)
  const { oldest, running } = status.scans
  return (
    <ul class="tiles">
      <Tile
        value={down === 0 ? 'All up' : `${down} down`}
        label={`Services, version ${status.version}`}
        isBad={down > 0}
      />
      <Tile
        value={numberText(status.waiting_publications)}
        label="Waiting publications"
        href="/operate/queue"
      />
      <Tile value={numberText(status.open_reports)} label="Open reports" href="/operate/reports" />
      <Tile value={numberText(failed)} label="Failed jobs" href="/operate/jobs" isBad={failed > 0} />
      <Tile
        value={numberText(running)}
        label="Running scans"
        href={oldest ? `/operate/listings/${oldest.listing_uid}` : undefined}
      />
      <Tile value={numberText(status.requests.per_minute)} label="Requests a minute" href="#requests" />
      <Tile
        value={numberText(status.requests.errors)}
        label="Errors in an hour"
        href="#requests"
        isBad={status.requests.errors > 0}
      />
    </ul>
  )
}

function Services({ status }: { status: Status }) {
  return (
    <section class="panel" aria-labelledby="services">
      <h2 id="services">Services</h2>
      <ul class="rows">
        {status.services.map(({ name, using, up, latency_ms, error, advice }) => (
          <li key={name}>
            <div>
              <strong class="name">{name}</strong> <span class="quiet small">{using}</span>
              {error === null ? null : (
                <p class="small">
                  {error}. {advice}
                </p>
              )}
            </div>
            <span class="figure">
              {up ? <span class="quiet small">{latency_ms} ms</span> : null}
              <Badge tone={up ? 'good' : 'bad'}>{up ? 'up' : 'down'}</Badge>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Search({ status }: { status: Status }) {
  const { engine, listings, waiting, lag_seconds } = status.search
  return (
    <section class="panel" aria-labelledby="search">
      <h2 id="search">Search index</h2>
      <dl class="rows">
        <Fact name="Engine" value={engine} />
        <Fact name="Listings" value={numberText(listings)} />
        <Fact name="Changes waiting" value={numberText(waiting)} />
        <Fact name="Behind by" value={`${numberText(lag_seconds)} s`} />
      </dl>
      <PostForm action="/operate/search/rebuild" class="act">
        <Submit look="second">Rebuild index</Submit>
        <span class="quiet small">Searches go on meanwhile.</span>
      </PostForm>
    </section>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="figure">{value}</dd>
    </div>
  )
}

function Queues({ status }: { status: Status }) {
  return (
    <section class="panel" aria-labelledby="queues">
      <h2 id="queues">Queues</h2>
      {status.queues.length === 0 ? (
        <p class="quiet">Nothing waits, runs or failed.</p>
      ) : (
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Waiting</th>
              <th scope="col">Running</th>
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {status.queues.map(({ task, waiting, running, failed }) => (
              <tr key={task}>
                <th scope="row">{task}</th>
                <td>{numberText(waiting)}</td>
                <td>{numberText(running)}</td>
                <td>{failed > 0 ? <Badge tone="bad">{numberText(failed)}</Badge> : 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Storage({ status }: { status: Status }) {
  const bytes = status.storage.reduce((sum, kind) => sum + kind.bytes, 0)
  return (
    <section class="panel" aria-labelledby="storage">
      <h2 id="storage">Storage</h2>
      <dl class="rows">
        {status.storage.map((kind) => (
          <div key={kind.kind}>
            <dt>
              <span class="name">{kind.kind}</span>{' '}
              <span class="quiet small">{countText(kind.objects, 'object')}</span>
            </dt>
            <dd class="figure">{bytesText(kind.bytes)}</dd>
          </div>
        ))}
        <div>
          <dt>
            <strong>Total</strong>
          </dt>
          <dd class="figure">
            <strong>{bytesText(bytes)}</strong>
          </dd>
        </div>
      </dl>
    </section>
  )
}

const CHECK_STATES = {
  done: ['good', 'done'],
  todo: ['warn', 'to do'],
  check: ['none', 'check'],
} as const

/** What a new store still needs; renders nothing once all is done. */
function Checklist({ items }: { items: readonly CheckItem[] }) {
  if (items.every(({ state }) => state !== 'todo')) return null
  const done = items.filter(({ state }) => state === 'done').length
  return (
    <section class="panel" aria-labelledby="checklist">
      <h2 id="checklist">
        Before you open: {done} of {items.length} done
      </h2>
      <ul class="rows">
        {items.map(({ name, state, text, href }) => {
          const [tone, label] = CHECK_STATES[state]
          return (
            <li key={name}>
              <div>
                <strong class="name">{name}</strong>
                <p class="small">{href === undefined ? text : <a href={href}>{text}</a>}</p>
              </div>
              <span class="figure">
                <Badge tone={tone}>{label}</Badge>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
