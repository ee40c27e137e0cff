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

export function serveSaves({ player, origin, restart }: Window): void {
  /** Null for guests, for games that keep no saves, and where the player said no. */
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
    saves.allowed ||= await inTurn(() => consent(saves))
    if (!saves.allowed) return {}
    const pass = await renew(saves)
    const { account, player, device } = saves
    return 'refused' in pass ? {} : { account, player, device, ...pass }
  }

  /** Asked once for each game; its page of saves has the answer to change. */
  async function consent(saves: PlaySaves): Promise<boolean> {
    if (saves.allowed) return true
    const allowed = await askConsent(saves)
    const answer = await fetch(saves.path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ allowed }),
    }).catch(() => null)
    return allowed && answer?.ok === true
  }

  /** Only for a game that somebody looks at. */
  async function renew({ path }: PlaySaves): Promise<{ token?: string; refused?: boolean }> {
    if (document.visibilityState === 'hidden') return {}
    const answer = await fetch(`${path}/token`, { method: 'POST' }).catch(() => null)
    if (answer?.ok) return { token: ((await answer.json()) as { data: { token: string } }).data.token }
    const isRefused = answer !== null && [401, 402, 403, 404].includes(answer.status)
    if (isRefused) tell('ended')
    return isRefused ? { refused: true } : {}
  }

  function tell(state: string): void {
    for (const note of player.querySelectorAll<HTMLElement>('[data-saves-note]'))
      note.hidden = note.dataset.savesNote !== state
  }
}
