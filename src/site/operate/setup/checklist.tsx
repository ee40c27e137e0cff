import type { CheckItem } from '../../../features/operate/setup/checklist.ts'
import { Badge } from '../../components/badge.tsx'

const STATES = {
  done: ['good', 'done'],
  todo: ['warn', 'to do'],
  check: ['none', 'check'],
} as const

/** What a new store lacks; nothing once all is done. */
export function Checklist({ items }: { items: readonly CheckItem[] }) {
  if (items.every(({ state }) => state !== 'todo')) return null
  const done = items.filter(({ state }) => state === 'done').length
  return (
    <section class="panel" aria-labelledby="checklist">
      <h2 id="checklist">
        Before you open: {done} of {items.length} done
      </h2>
      <ul class="rows">
        {items.map(({ name, state, text, href }) => {
          const [tone, label] = STATES[state]
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
