import { loadProgress, preferProgress, saveProgress } from './progress.mjs'
import { createMemory, openMemory, SCALE, SIZE, SPARKS, WORDS } from './shared.mjs'
import { openStage, run } from './stage.mjs'

const SPEED = 210
const LIVES = 3
const PULSE_SECONDS = 4
const KEYS = {
  ArrowLeft: [-1, 0],
  KeyA: [-1, 0],
  ArrowRight: [1, 0],
  KeyD: [1, 0],
  ArrowUp: [0, -1],
  KeyW: [0, -1],
  ArrowDown: [0, 1],
  KeyS: [0, 1],
}

const { context, canvas, toStage } = openStage(SIZE, SIZE)
const held = new Set()
const player = { x: SIZE / 2, y: SIZE * 0.85 }
let target = null
let state = 'ready'
let seconds = 0
let best = 0
let pulse = 0
let ring = null
let memory = null

void preferProgress((mine, theirs) => mine.best > theirs.best)
void findBest()

async function findBest() {
  const progress = await loadProgress()
  best = Math.max(best, progress?.best ?? 0)
}

if (globalThis.crossOriginIsolated) {
  const buffer = createMemory()
  memory = openMemory(buffer)
  new Worker(new URL('worker.mjs', import.meta.url), { type: 'module' }).postMessage(buffer)
} else {
  state = 'alone'
}

const read = (word) => Atomics.load(memory.words, word)
const write = (word, value) => Atomics.store(memory.words, word, value)

function begin() {
  Object.assign(player, { x: SIZE / 2, y: SIZE * 0.85 })
  memory.sparks.fill(-100)
  for (const word of [WORDS.HITS, WORDS.TICKS, WORDS.PULSE]) write(word, 0)
  ;[state, seconds, pulse, ring] = ['playing', 0, PULSE_SECONDS, null]
  sendPlace()
  write(WORDS.ALIVE, 1)
}

function sendPlace() {
  write(WORDS.PLAYER_X, Math.round(player.x * SCALE))
  write(WORDS.PLAYER_Y, Math.round(player.y * SCALE))
}

function act() {
  if (state === 'ready' || state === 'over') return begin()
  if (state !== 'playing' || pulse < PULSE_SECONDS) return
  pulse = 0
  ring = { ...player, size: 0 }
  write(WORDS.PULSE, 1)
}

addEventListener('keydown', (event) => {
  if (KEYS[event.code]) held.add(event.code)
  else if (event.code !== 'Space' && event.code !== 'Enter') return
  else if (!event.repeat) act()
  event.preventDefault()
})
addEventListener('keyup', ({ code }) => held.delete(code))
canvas.addEventListener('pointerdown', (event) => {
  if (state !== 'playing' || !event.isPrimary) act()
  else target = toStage(event)
})
canvas.addEventListener('pointermove', (event) => {
  if (event.isPrimary && event.buttons > 0) target = toStage(event)
})
for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => (target = null))
canvas.addEventListener('dblclick', act)

function step(dt) {
  if (state !== 'playing') return
  seconds += dt
  pulse = Math.min(PULSE_SECONDS, pulse + dt)
  if (ring && (ring.size += dt * 300) > 110) ring = null
  const [dx, dy] = wayOf()
  player.x = Math.min(SIZE - 8, Math.max(8, player.x + dx * SPEED * dt))
  player.y = Math.min(SIZE - 8, Math.max(8, player.y + dy * SPEED * dt))
  sendPlace()
  if (read(WORDS.HITS) < LIVES) return
  write(WORDS.ALIVE, 0)
  state = 'over'
  if (seconds <= best) return
  best = seconds
  saveProgress({ best })
}

function wayOf() {
  const sum = [...held].reduce(([x, y], code) => [x + KEYS[code][0], y + KEYS[code][1]], [0, 0])
  const [x, y] = target ? [target.x - player.x, target.y - player.y] : sum
  const length = Math.hypot(x, y)
  return length < 2 && target ? [0, 0] : length === 0 ? [0, 0] : [x / length, y / length]
}

function draw() {
  context.fillStyle = '#0d0a1acc'
  context.fillRect(0, 0, SIZE, SIZE)
  if (state === 'alone')
    return drawTitle('This game needs shared memory.', 'Its page must be cross-origin isolated.')
  if (state !== 'ready') drawBloom()
  if (state === 'ready')
    drawTitle(
      best > 0 ? `Static Bloom · best ${best.toFixed(1)}` : 'Static Bloom',
      'Arrows or a finger to fly, space or a second finger to push. Press to begin.',
    )
  else if (state === 'over')
    drawTitle(`${seconds.toFixed(1)} seconds`, `Best ${best.toFixed(1)}. Press to try again.`)
  else drawHud()
}

function drawBloom() {
  const { sparks } = memory
  for (let at = 0; at < SPARKS * 2; at += 2) {
    const [x, y] = [sparks[at], sparks[at + 1]]
    if (x < -4 || y < -4 || x > SIZE + 4 || y > SIZE + 4) continue
    context.fillStyle = `hsl(${(Math.hypot(x - SIZE / 2, y - SIZE / 2) * 0.6 + seconds * 20) % 360} 85% 65%)`
    context.fillRect(x - 2, y - 2, 4, 4)
  }
  context.fillStyle = '#ffffff'
  context.beginPath()
  context.arc(player.x, player.y, 5, 0, Math.PI * 2)
  context.fill()
  context.strokeStyle = pulse === PULSE_SECONDS ? '#8fe3c8' : '#ffffff55'
  context.lineWidth = 2
  context.beginPath()
  context.arc(player.x, player.y, 11, -Math.PI / 2, -Math.PI / 2 + (pulse / PULSE_SECONDS) * Math.PI * 2)
  context.stroke()
  if (!ring) return
  context.beginPath()
  context.arc(ring.x, ring.y, ring.size, 0, Math.PI * 2)
  context.stroke()
}

function drawHud() {
  context.fillStyle = '#eceef5'
  context.font = '16px system-ui, sans-serif'
  context.textAlign = 'left'
  context.fillText('● '.repeat(LIVES - read(WORDS.HITS)), 14, 26)
  context.textAlign = 'right'
  context.fillText(`${seconds.toFixed(1)} s · level ${read(WORDS.LEVEL)}`, SIZE - 14, 26)
}

function drawTitle(title, text) {
  context.textAlign = 'center'
  context.fillStyle = '#eceef5'
  context.font = '40px system-ui, sans-serif'
  context.fillText(title, SIZE / 2, SIZE / 2 - 10)
  context.font = '15px system-ui, sans-serif'
  context.fillText(text, SIZE / 2, SIZE / 2 + 26)
}

run(step, draw)
