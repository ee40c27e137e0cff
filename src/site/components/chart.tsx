import { numberText } from '../kit/labels.tsx'

export interface Bar {
  label: string
  /** A second line under the label. */
  note?: string
  /** Stacked from the bottom. */
  values: readonly { tone: 'good' | 'fair' | 'warn' | 'bad'; value: number }[]
  /** A mark under the bar, such as a release on that day. */
  mark?: string | undefined
}

interface BarChartProps {
  /** What the chart shows, in a sentence; the table beside it has the numbers. */
  summary: string
  bars: readonly Bar[]
  /** The value of the highest line, if it is fixed. */
  top?: number
}

const WIDTH = 720
const HEIGHT = 200
const LEFT = 44
const BOTTOM = 24
const NOTE = 14
/** The most width per bar, so that a few bars do not fill the whole chart. */
const STEP_MAX = 120
/** The most labels under a chart; phones show half as many. */
const LABELS_MAX = 8

/** Bars drawn as SVG on the server. */
export function BarChart({ summary, bars, top }: BarChartProps) {
  const totals = bars.map(({ values }) => values.reduce((sum, { value }) => sum + value, 0))
  const most = top ?? niceTop(Math.max(...totals, 1))
  const step = Math.min((WIDTH - LEFT) / Math.max(bars.length, 1), STEP_MAX)
  const every = Math.ceil(bars.length / LABELS_MAX)
  const heightOf = (value: number) => ((HEIGHT - BOTTOM - 10) * value) / most
  const allHeight = bars.some(({ note }) => note) ? HEIGHT + NOTE : HEIGHT
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${allHeight}`} role="img" aria-label={summary}>
      {[0, 0.5, 1].map((part) => {
        const y = HEIGHT - BOTTOM - heightOf(most * part)
        return (
          <g key={part}>
            <line class="grid" x1={LEFT} x2={WIDTH} y1={y} y2={y} />
            <text x={LEFT - 8} y={y + 4} text-anchor="end">
              {numberText(most * part)}
            </text>
          </g>
        )
      })}
      {bars.map(({ label, note, values, mark }, index) => {
        const x = LEFT + index * step + step * 0.15
        const middle = x + step * 0.35
        let y = HEIGHT - BOTTOM
        return (
          <g key={index}>
            {values.map(({ tone, value }) => {
              const height = heightOf(value)
              y -= height
              return <rect key={tone} class={tone} x={x} y={y} width={step * 0.7} height={height} rx="2" />
            })}
            {mark === undefined ? null : <circle class="mark" cx={middle} cy={HEIGHT - BOTTOM + 5} r="3" />}
            {index % every === 0 ? (
              <text
                class={index % (2 * every) === 0 ? 'label' : 'label in-between'}
                y={HEIGHT - 6}
                text-anchor="middle"
              >
                <tspan x={middle}>{label}</tspan>
                <tspan x={middle} dy="1.25em">
                  {note}
                </tspan>
              </text>
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}

/** A round number above the highest bar. */
function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most))
  return (
    [1, 2, 4, 5, 10].map((factor) => factor * unit).find((value) => value >= most && value % 2 === 0) ??
    most * 2
  )
}
