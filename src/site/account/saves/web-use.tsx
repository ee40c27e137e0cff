import { savesPath } from '../../../domain/site-urls.ts'
import type { WebUse } from '../../../features/saves/access/model.ts'
import type { KeptSaves } from '../../../features/saves/library/service.ts'
import { PostForm, Submit } from '../../kit/form.tsx'
import { Badge } from '../../kit/labels.tsx'

export const WEB_CHOICES = ['yes', 'no', 'ask'] as const
export type WebChoice = (typeof WEB_CHOICES)[number]

interface WebUseProps {
  kept: KeptSaves
  web: WebUse
}

/** What the game may do when it is played in the browser, and how to change it. */
export function WebUseSection({ kept, web: { isPlayed, allowed } }: WebUseProps) {
  if (!isPlayed && allowed === null) return null
  const { badge, text, choices } = describe(allowed)
  const offered = choices.filter(([choice]) => choice !== 'yes' || (isPlayed && kept.isEnabled))
  return (
    <section class="panel stack" aria-labelledby="in-browser">
      <div class="row between">
        <h2 id="in-browser">In the browser</h2>
        {badge}
      </div>
      <p>{text}</p>
      {offered.length === 0 ? null : (
        <div class="row">
          {offered.map(([choice, label, look]) => (
            <PostForm key={choice} action={`${savesPath(kept.ref)}/browser`} class="">
              <input type="hidden" name="choice" value={choice} />
              <Submit look={look}>{label}</Submit>
            </PostForm>
          ))}
        </div>
      )}
    </section>
  )
}

type Offer = readonly [choice: WebChoice, label: string, look: string]

const ALLOW: Offer = ['yes', 'Let this game keep its saves in your account', 'second']

function describe(allowed: boolean | null) {
  if (allowed === null) {
    return {
      badge: <Badge>Not asked yet</Badge>,
      text: 'When you play this game in the browser and it saves, you are asked whether it may use your account. Until then its saves are in that browser only.',
      choices: [ALLOW],
    }
  }
  if (allowed) {
    return {
      badge: <Badge tone="good">Allowed</Badge>,
      text: 'Played in the browser, this game keeps its saves in your account, and sees your name and picture. If you take that back, it keeps new ones in the browser only; those that are here stay.',
      choices: [['no', 'Take this back', 'second'] as const],
    }
  }
  return {
    badge: <Badge>Not allowed</Badge>,
    text: 'Played in the browser, this game keeps its saves there only, and does not see who you are.',
    choices: [ALLOW, ['ask', 'Ask me next time', 'plain'] as const],
  }
}
