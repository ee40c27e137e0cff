import type { Status } from '../../features/operate/status/model.ts'
import { countText, Moment, numberText } from '../kit/labels.tsx'

type Facts = Status['requests']
type Route = Facts['slowest'][number]

const HEIGHT = 60
const BAR = 10

/** Requests of the last hour; each process counts its own. */
export function Requests({ requests }: { requests: Facts }) {
  return (
    <section class="panel" id="requests" aria-labelledby="requests-title">
      <h2 id="requests-title">Requests</h2>
      <p class="quiet small">
        {countText(requests.total, 'request')} to this process since <Moment at={requests.since} />; other
        processes count their own.
      </p>
      <Chart minutes={requests.minutes} />
      <div class="operate-columns">
        <div>
          <h3>Slowest routes</h3>
          {requests.slowest.length === 0 ? (
            <p class="quiet">Nothing was requested yet.</p>
          ) : (
            <Routes
              routes={requests.slowest}
              columns={['Requests', 'Mean', 'Slowest']}
              read={({ count, mean_ms, slowest_ms }) => [
                numberText(count),
                `${mean_ms} ms`,
                `${slowest_ms} ms`,
              ]}
            />
          )}
        </div>
        <div>
          <h3>Errors</h3>
          {requests.failing.length === 0 ? (
            <p class="quiet">No response with status 500 or above.</p>
          ) : (
            <Routes
              routes={requests.failing}
              columns={['Requests', 'Errors']}
              read={({ count, errors }) => [numberText(count), numberText(errors)]}
            />
          )}
        </div>
      </div>
    </section>
  )
}

function Chart({ minutes }: { minutes: readonly number[] }) {
  const most = Math.max(1, ...minutes)
  const label = `Requests of each of the last 60 minutes: at most ${numberText(most)}, in the last minute ${numberText(minutes.at(-1) ?? 0)}`
  return (
    <svg
      class="minutes"
      viewBox={`0 0 ${minutes.length * BAR} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {minutes.map((count, minute) => {
        const height = count === 0 ? 1 : Math.max(2, Math.round((count / most) * HEIGHT))
        return <rect key={minute} x={minute * BAR + 1} y={HEIGHT - height} width={BAR - 2} height={height} />
      })}
    </svg>
  )
}

interface RoutesProps {
  routes: readonly Route[]
  columns: readonly string[]
  read: (route: Route) => string[]
}

function Routes({ routes, columns, read }: RoutesProps) {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">Route</th>
          {columns.map((column, index) => (
            <th key={column} scope="col" class={classOf(index)}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {routes.map((route) => (
          <tr key={route.method + route.route}>
            <th scope="row">
              <code>
                {route.method} {breakable(route.route)}
              </code>
            </th>
            {read(route).map((text, column) => (
              <td key={column} class={classOf(column)}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The last column is hidden on narrow screens. */
function classOf(column: number): string | undefined {
  return column === 2 ? 'spare' : undefined
}

/** Lets long routes wrap after slashes. */
function breakable(route: string) {
  return route.split(/(?<=\/)/).map((part, index) => (
    <>
      {index > 0 ? <wbr /> : null}
      {part}
    </>
  ))
}
