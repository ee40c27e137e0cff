/** What the game's script tells of a save; all of it may be anything. */
export interface Side {
  slot?: unknown
  device?: unknown
  at?: unknown
  size?: unknown
  play_minutes?: unknown
}

type Part = Node | string

interface Choice {
  value: string
  label: string
  isSecond?: boolean
}

/** Resolves to whether the player agreed; closing is a no. */
export async function askConsent({ game }: { game: string }): Promise<boolean> {
  const answer = await ask(`Saves of ${game}`, [
    element('p', '', 'They then follow you to your other devices, and stay when this browser forgets them.'),
    element(
      'p',
      'quiet small',
      'The game also sees your name and picture. You can change this at any time on the page of your saves.',
    ),
    choices([
      { value: 'yes', label: 'Let this game keep its saves in your account' },
      { value: '', label: 'Not now', isSecond: true },
    ]),
  ])
  return answer === 'yes'
}

export async function askTakeover({ game }: { game: string }, saves: readonly Side[]): Promise<boolean> {
  const answer = await ask(`Saves of ${game} in this browser`, [
    element('p', '', 'They were made without your account. Take them over, so that they are kept there too?'),
    element(
      'ul',
      '',
      ...saves.slice(0, 20).map((save) => element('li', '', name(save.slot), ' · ', ...describe(save))),
    ),
    choices([
      { value: 'take', label: 'Take over' },
      { value: '', label: 'Leave', isSecond: true },
    ]),
  ])
  return answer === 'take'
}

/** Closing keeps both. */
export async function askConflict(slot: string, mine: Side, theirs: Side): Promise<string> {
  const side = (title: string, told: Side, value: string) =>
    element(
      'section',
      'panel stack',
      element('h3', '', title),
      element('p', 'small', ...describe(told)),
      choices([{ value, label: 'Use this' }], ` ${title}`),
    )
  const answer = await ask(
    ['Two versions of ', name(slot)],
    [
      element(
        'p',
        '',
        'This save was changed on another device too. Whatever you choose, both stay in its history.',
      ),
      element(
        'div',
        'save-sides',
        side('From here', mine, 'mine'),
        side('From your account', theirs, 'theirs'),
      ),
      element(
        'p',
        'quiet small',
        'With the one from your account the game starts again. If you keep both, you go on from here, and the other becomes a save beside it.',
      ),
      choices([{ value: 'both', label: 'Keep both', isSecond: true }]),
    ],
  )
  return answer || 'both'
}

/** Resolves to the value of the button; nothing for Escape. */
async function ask(title: Part | readonly Part[], parts: readonly Part[]): Promise<string> {
  const dialog = document.createElement('dialog')
  dialog.className = 'save-dialog'
  const heading = element('h2', '', ...[title].flat())
  heading.id = 'save-dialog-title'
  // Not a button: the player may be pressing keys of the game.
  heading.tabIndex = -1
  heading.autofocus = true
  dialog.setAttribute('aria-labelledby', heading.id)
  const form = element('form', 'stack', heading, ...parts)
  form.setAttribute('method', 'dialog')
  dialog.append(form)
  document.body.append(dialog)
  dialog.showModal()
  await new Promise((closed) => dialog.addEventListener('close', closed, { once: true }))
  dialog.remove()
  return dialog.returnValue
}

function choices(list: readonly Choice[], more = ''): HTMLElement {
  return element(
    'p',
    'row',
    ...list.map(({ value, label, isSecond }) => {
      const button = element('button', isSecond ? 'button second' : 'button', label)
      button.setAttribute('value', value)
      if (more) button.append(element('span', 'visually-hidden', more))
      return button
    }),
  )
}

function name(text: unknown): HTMLElement {
  return element('bdi', '', String(text).slice(0, 64))
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

function describe({ device, at, size, play_minutes }: Side): Part[] {
  const time = new Date(String(at))
  const parts: Part[] = []
  if (typeof device === 'string' && device !== '') parts.push(element('bdi', '', device.slice(0, 80)))
  if (!Number.isNaN(time.getTime())) parts.push(element('time', '', moments.format(time)))
  parts.push(`${Math.ceil(Number(size) / 1024)} KB`)
  const minutes = Number(play_minutes)
  if (minutes > 0) parts.push(`after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of play`)
  return parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]))
}

function element(tag: string, className: string, ...parts: readonly Part[]): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.append(...parts)
  return made
}
