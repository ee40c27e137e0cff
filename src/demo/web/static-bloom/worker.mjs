import { openMemory, SCALE, SIZE, SPARKS, WORDS } from './shared.mjs'

const TICK_MS = 1000 / 120
const CALM_TICKS = 120
const SECONDS_A_LEVEL = 8
const HIT = 5
const PULSE = 90
const MIDDLE = SIZE / 2

/** Moves all sparks 120 times a second, so that the window only draws. */
onmessage = ({ data }) => {
  const { words, sparks } = openMemory(data)
  const speeds = new Float32Array(SPARKS * 2)
  let bloomed = 0
  let turn = 0
  let due = performance.now()

  const tick = () => {
    // A late timer is caught up with, but never more than a few steps.
    for (let done = 0; due < performance.now() && done < 12; done += 1, due += TICK_MS) move()
    due = Math.max(due, performance.now() - 100)
    setTimeout(tick, TICK_MS)
  }

  const move = () => {
    if (Atomics.load(words, WORDS.ALIVE) === 0) {
      ;[bloomed, turn] = [0, 0]
      return
    }
    const ticks = Atomics.add(words, WORDS.TICKS, 1)
    const level = 1 + Math.floor(ticks / 120 / SECONDS_A_LEVEL)
    Atomics.store(words, WORDS.LEVEL, level)
    if (ticks > CALM_TICKS) bloom(level)
    const x = Atomics.load(words, WORDS.PLAYER_X) / SCALE
    const y = Atomics.load(words, WORDS.PLAYER_Y) / SCALE
    const isPulse = Atomics.exchange(words, WORDS.PULSE, 0) === 1
    for (let at = 0; at < bloomed; at += 1) moveSpark(at * 2, x, y, isPulse)
  }

  /** Petals open in turning arms: the higher the level, the more arms and the faster. */
  const bloom = (level) => {
    turn += 0.013 + level * 0.002
    const arms = Math.min(2 + level, 9)
    const every = Math.max(2, 9 - level)
    if (Atomics.load(words, WORDS.TICKS) % every !== 0) return
    for (let arm = 0; arm < arms; arm += 1) {
      const at = (bloomed < SPARKS ? bloomed++ : Math.floor(Math.random() * SPARKS)) * 2
      const angle = turn + (arm / arms) * Math.PI * 2
      const speed = 0.45 + level * 0.05
      sparks[at] = MIDDLE
      sparks[at + 1] = MIDDLE
      speeds[at] = Math.cos(angle) * speed
      speeds[at + 1] = Math.sin(angle) * speed
    }
  }

  const moveSpark = (at, x, y, isPulse) => {
    sparks[at] += speeds[at]
    sparks[at + 1] += speeds[at + 1]
    const [dx, dy] = [sparks[at] - x, sparks[at + 1] - y]
    const far = Math.hypot(dx, dy)
    if (isPulse && far < PULSE) {
      speeds[at] = (dx / far) * 3
      speeds[at + 1] = (dy / far) * 3
    } else if (far < HIT) {
      Atomics.add(words, WORDS.HITS, 1)
      sparks[at] = -100
      speeds[at] = 0
    }
  }

  tick()
}
