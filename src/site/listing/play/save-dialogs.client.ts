/** What the game's script tells of a save; all of it may be anything. */
export interface Side {
  slot?: unknown
  device?: unknown
  at?: unknown
  size?: unknown
  play_minutes?: unknown
}

type Part = Node | string

const SHOWN_MAX = 20

interface Choice {
  value: string
  label: string
  isSecond?: boolean
}

/** Null if the player only closed it. */
export async function askConsent({ game }: { game: string }): Promise<boolean | null> {
  const answer = await ask(`Saves of ${game}`, [
    element(
      'p',
      '',
      'Kept in your account, they follow you to your other devices, and stay when this browser forgets them.',
    ),
    element(
      'p',
      'quiet small',
      'The game also sees your name and picture. You can change this at any time on the page of your saves.',
    ),
    choices([
      { value: 'yes', label: 'Let this game keep its saves in your account' },
      { value: 'no', label: 'Not now', isSecond: true },
    ]),
  ])
  return answer === '' ? null : answer === 'yes'
}

/** Null if the player only closed it. */
export async function askTakeover(
  { game }: { game: string },
  saves: readonly Side[],
): Promise<boolean | null> {
  const answer = await ask(`Saves of ${game} in this browser`, [
    element('p', '', 'They were made without your account. Take them over, so that they are kept there too?'),
    element(
      'ul',
      '',
      ...saves
        .slice(0, SHOWN_MAX)
        .map((save) => element('li', '', ...join([name(save.slot), ...describe(save)]))),
      ...(saves.length > SHOWN_MAX ? [element('li', 'quiet', `${saves.length - SHOWN_MAX} more`)] : []),
    ),
    choices([
      { value: 'take', label: 'Take over' },
      { value: 'leave', label: 'Leave', isSecond: true },
    ]),
  ])
  return answer === '' ? null : answer === 'take'
}

/** Closing keeps both. */
export async function askConflict(slot: string, mine: Side, theirs: Side): Promise<string> {
  const side = (title: string, told: Side, value: string) =>
    element(
      'section',
      'panel stack',
      element('h3', '', title),
      element('ul', 'small', ...describe(told).map((part) => element('li', '', part))),
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
  parts.push(describeSize(Number(size)))
  const minutes = Number(play_minutes)
  if (minutes > 0) parts.push(`after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of play`)
  return parts
}

/** No line breaks inside a part, or before the dot after it. */
function join(parts: readonly Part[]): Part[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : ['\u00a0· ', part]))
}

function describeSize(bytes: number): string {
  if (!(bytes >= 1024)) return `${bytes || 0}\u00a0bytes`
  const [value, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KB'] : [bytes / 1024 ** 2, 'MB']
  return `${value.toFixed(1)}\u00a0${unit}`
}

function element(tag: string, className: string, ...parts: readonly Part[]): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.append(...parts)
  return made
}
