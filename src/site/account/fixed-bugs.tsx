import type { NamedNotice } from '../../features/bugs/notices/service.ts'
import { Day } from '../kit/dates.tsx'
import { Submit } from '../kit/form.tsx'

/** Tells which of the visitor's bug reports were fixed, until each is acknowledged. */
export function FixedBugs({ notices }: { notices: readonly NamedNotice[] }) {
  if (notices.length === 0) return null
  return (
    <section class="stack" aria-labelledby="fixed-bugs">
      <h2 id="fixed-bugs">Fixed bugs</h2>
      {notices.map((notice) => (
        <div key={notice.uid} class="notice good">
          <p>
            <strong>{fixedText(notice)}</strong> “{notice.excerpt}”{' '}
            <span class="quiet small">
              {notice.game_name ?? 'A hidden title'}, <Day at={notice.fixed_at} />
            </span>
          </p>
          <form method="post" action="/library/notices">
            <input type="hidden" name="uid" value={notice.uid} />
            <Submit look="second">
              Got it<span class="visually-hidden">: {notice.excerpt}</span>
            </Submit>
          </form>
        </div>
      ))}
    </section>
  )
}

function fixedText({ fixed_in_version }: NamedNotice): string {
  return fixed_in_version === null
    ? 'Your report was fixed.'
    : `Your report was fixed in ${fixed_in_version}.`
}
