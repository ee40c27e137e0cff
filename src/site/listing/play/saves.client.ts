/**
 * Lets the game in the frame keep its saves in the player's account: asks the player once, hands the frame a token
 * for this game's saves alone, and shows the dialogs that the game's script asks for.
 */
import type { PlaySaves } from './play-saves.ts'
import { askConflict, askConsent, askTakeover, type Side } from './save-dialogs.client.ts'

interface Asked {
  id: number
  about: 'begin' | 'token' | 'takeover' | 'conflict' | 'restart' | 'note'
  slot?: unknown
  mine?: Side
  theirs?: Side
  saves?: Side[]
  state?: unknown
}

interface Window {
  player: HTMLElement
  /** Where the game runs. */
  origin: string
  restart(): void
}

/** The game goes on without an answer of the store that takes longer. */
const ANSWER_MS = 20_000

export function serveSaves({ player, origin, restart }: Window): void {
  /** Null for guests. */
  const saves = JSON.parse(player.dataset.saves ?? 'null') as PlaySaves | null
  let open: MessagePort | undefined
  /** One dialog after the other. */
  let dialogs: Promise<unknown> = Promise.resolve()
  const inTurn = <Answer>(show: () => Promise<Answer>): Promise<Answer> => {
    const shown = dialogs.then(show)
    dialogs = shown.catch(() => {})
    return shown
  }

  // Only the game's own window gets a channel, at its own origin: no frame inside it, and no other window.
  addEventListener('message', ({ source, origin: from, data }) => {
    const game = player.querySelector('iframe')?.contentWindow
    if (!game || source !== game || from !== origin || data !== 'playshelf') return
    open?.close()
    const { port1, port2 } = new MessageChannel()
    open = port1
    port1.onmessage = ({ data }: MessageEvent<Asked>) =>
      void answer(data).then((answer) => port1.postMessage({ id: data.id, answer }))
    game.postMessage('playshelf', origin, [port2])
  })

  async function answer({ about, ...asked }: Asked): Promise<unknown> {
    if (about === 'begin') return saves ? await begin(saves) : {}
    if (!saves?.allowed) return null
    if (about === 'token') return await renew(saves)
    if (about === 'takeover') return await inTurn(() => askTakeover(saves, asked.saves ?? []))
    if (about === 'conflict')
      return await inTurn(() => askConflict(String(asked.slot), asked.mine ?? {}, asked.theirs ?? {}))
    if (about === 'restart') restart()
    if (about === 'note') tell(String(asked.state))
    return null
  }

  async function begin(saves: PlaySaves): Promise<object> {
    const here = nameHere(saves)
    await seen()
    saves.allowed ??= await inTurn(() => consent(saves))
    if (!saves.allowed) return { here }
    const pass = await renew(saves)
    const { account, player, device } = saves
    if ('refused' in pass) return { here }
    show('account')
    return { here, account, player, device, ...pass }
  }

  /** Null: asked again another time. The page of the player's saves has the answer to change. */
  async function consent(saves: PlaySaves): Promise<boolean | null> {
    if (saves.allowed !== null) return saves.allowed
    const allowed = await askConsent(saves)
    if (allowed === null) return null
    const { account } = saves
    // The store refuses it if another account has signed in meanwhile.
    const isKept = await send(saves.path, 'PUT', { account, allowed })
    return allowed && isKept?.ok === true
  }

  /** Only for a game that somebody looks at, and for the account whose page this is. */
  async function renew({ path, account }: PlaySaves): Promise<{ token?: string; refused?: boolean }> {
    if (document.visibilityState === 'hidden') return {}
    const answer = await send(`${path}/token`, 'POST')
    if (answer?.ok) {
      const { data } = (await answer.json().catch(() => ({}))) as {
        data?: { account: string; token: string }
      }
      if (!data) return {}
      if (data.account === account) return { token: data.token }
    } else if (!answer || ![401, 402, 403, 404].includes(answer.status)) return {}
    tell('ended')
    show('browser')
    return { refused: true }
  }

  /** Shows the note of this state alone. */
  function tell(state: string): void {
    for (const note of player.querySelectorAll<HTMLElement>('[data-saves-note]'))
      note.hidden = note.dataset.savesNote !== state
  }
}

/** Once somebody looks at the page. */
async function seen(): Promise<void> {
  if (document.visibilityState === 'visible') return
  await new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true })
  })
}

/** Says where the game keeps its saves. */
function show(place: 'account' | 'browser'): void {
  for (const text of document.querySelectorAll<HTMLElement>('[data-saves-place]'))
    text.hidden = text.dataset.savesPlace !== place
}

async function send(path: string, method: string, body?: object): Promise<Response | null> {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return await fetch(path, { method, ...init, signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null)
}

/** Stands for the account in this browser alone: a player who did not agree cannot be recognised by it elsewhere. */
function nameHere({ account }: PlaySaves): string {
  const key = `playshelf.saves.${account}`
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const fresh = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  try {
    const known = localStorage.getItem(key)
    if (known === null) localStorage.setItem(key, fresh)
    return known ?? fresh
  } catch {
    // The browser keeps nothing.
    return fresh
  }
}
