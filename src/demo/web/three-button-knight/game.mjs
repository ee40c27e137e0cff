import { ROOMS } from './rooms.mjs'
import { openStage, run } from './stage.mjs'

const [COLUMNS, LINES] = [20, 9]
const HUD = 1
const SPEED = 5.5
const GRAVITY = 26
const JUMP = 11
const [WIDTH, HEIGHT] = [0.7, 0.9]
const BLINK = 3
const REACH = 1.5
const SWING_SECONDS = 0.2

const COLOURS = {
  wall: '#2b3a55',
  edge: '#46608c',
  spike: '#e4e8f2',
  door: '#f2bd66',
  guard: '#ff7a85',
  knight: '#8fe3c8',
}
const KEYS = {
  ArrowLeft: 'left',
  KeyA: 'left',
  ArrowRight: 'right',
  KeyD: 'right',
  Space: 'third',
  ArrowUp: 'third',
  KeyW: 'third',
  Enter: 'third',
}

const { context } = openStage(COLUMNS, LINES + HUD)
const held = { left: false, right: false, third: false }
let room = 0
let deaths = 0
let seconds = 0
let isWon = false
let world = enter(room)

function enter(index) {
  const { map } = ROOMS[index]
  const find = (sign) =>
    map.flatMap((line, y) => Array.from(line).flatMap((at, x) => (at === sign ? [{ x, y }] : [])))
  const [start] = find('K')
  return {
    ...ROOMS[index],
    knight: { x: start.x + 0.15, y: start.y + 0.1, vx: 0, vy: 0, faces: 1, swing: 0, push: 0 },
    gravity: 1,
    guards: find('g').map(({ x, y }) => ({ x, y, home: x, speed: 1.6 })),
    blades: find('|').map(({ x, y }, at) => ({ x, y, top: y, turn: at * 0.9 })),
    spikes: find('^'),
    door: find('D')[0],
    time: 0,
  }
}

const isWall = (x, y) => world.map[Math.floor(y)]?.[Math.floor(x)] === '#'
const hits = (x, y) =>
  isWall(x, y) ||
  isWall(x + WIDTH, y) ||
  isWall(x, y + HEIGHT - 0.001) ||
  isWall(x + WIDTH, y + HEIGHT - 0.001)
const stands = ({ x, y }) => hits(x, y + 0.02 * world.gravity)

/** What the third button does, by room. */
const THIRD = {
  jump(knight) {
    if (stands(knight)) knight.vy = -JUMP
  },
  flip(knight) {
    if (stands(knight)) world.gravity *= -1
  },
  sneeze(knight) {
    if (!stands(knight)) return
    knight.vy = -8.5
    knight.push = -9 * knight.faces
  },
  blink(knight) {
    for (let far = BLINK; far > 0; far -= 0.25) {
      const x = knight.x + far * knight.faces
      if (x > 1 && x + WIDTH < COLUMNS - 1 && !hits(x, knight.y)) {
        knight.x = x
        return
      }
    }
  },
  sword(knight) {
    knight.swing = SWING_SECONDS
    const isHit = ({ x }) => (x - knight.x) * knight.faces > -0.5 && Math.abs(x - knight.x) < REACH
    world.guards = world.guards.filter((guard) => !isHit(guard))
  },
  stop() {},
}

function press(key) {
  if (isWon) return restart()
  if (!held[key] && key === 'third') THIRD[world.third](world.knight)
  held[key] = true
}

function restart() {
  Object.assign(held, { left: false, right: false, third: false })
  ;[room, deaths, seconds, isWon] = [0, 0, 0, false]
  world = enter(room)
}

addEventListener('keydown', (event) => {
  const key = KEYS[event.code]
  if (!key) return
  event.preventDefault()
  if (!event.repeat) press(key)
})
addEventListener('keyup', ({ code }) => KEYS[code] && (held[KEYS[code]] = false))
for (const button of document.querySelectorAll('nav button')) {
  const { key } = button.dataset
  button.addEventListener('pointerdown', () => press(key))
  for (const end of ['pointerup', 'pointercancel', 'pointerleave'])
    button.addEventListener(end, () => (held[key] = false))
}

function step(dt) {
  if (isWon) return
  seconds += dt
  moveKnight(world.knight, dt)
  if (!(world.third === 'stop' && held.third)) moveOthers(dt)
  if (isHurt(world.knight)) {
    deaths += 1
    world = enter(room)
  } else if (Math.abs(world.knight.x - world.door.x) < 0.6 && Math.abs(world.knight.y - world.door.y) < 0.8) {
    room += 1
    isWon = room === ROOMS.length
    if (!isWon) world = enter(room)
  }
}

function moveKnight(knight, dt) {
  const way = Number(held.right) - Number(held.left)
  if (way !== 0) knight.faces = way
  if (stands(knight) && knight.vy * world.gravity >= 0) knight.push = 0
  knight.swing = Math.max(0, knight.swing - dt)
  knight.vy += GRAVITY * world.gravity * dt
  // Small steps along each axis: nothing passes through a corner.
  const dx = (knight.push === 0 ? way * SPEED : knight.push) * dt
  if (!hits(knight.x + dx, knight.y)) knight.x += dx
  const dy = knight.vy * dt
  if (hits(knight.x, knight.y + dy)) knight.vy = 0
  else knight.y += dy
}

function moveOthers(dt) {
  world.time += dt
  for (const guard of world.guards) {
    guard.x += guard.speed * dt
    if (Math.abs(guard.x - guard.home) > 1.5)
      guard.speed = -Math.sign(guard.x - guard.home) * Math.abs(guard.speed)
  }
  for (const blade of world.blades) blade.y = blade.top + 2.2 + 2.2 * Math.sin(world.time * 3 + blade.turn)
}

function isHurt({ x, y }) {
  const touches = (other, reach) =>
    Math.abs(other.x + 0.5 - (x + WIDTH / 2)) < reach && Math.abs(other.y + 0.5 - (y + HEIGHT / 2)) < 0.75
  return (
    world.spikes.some((spike) => touches(spike, 0.6)) ||
    world.guards.some((guard) => touches(guard, 0.65)) ||
    world.blades.some((blade) => touches(blade, 0.5))
  )
}

function draw() {
  context.fillStyle = '#10111a'
  context.fillRect(0, 0, COLUMNS, LINES + HUD)
  for (const [y, line] of world.map.entries()) {
    for (const [x, sign] of Array.from(line).entries()) if (sign === '#') drawWall(x, y)
  }
  for (const spike of world.spikes) drawSpike(spike)
  context.fillStyle = COLOURS.door
  context.fillRect(world.door.x + 0.1, world.door.y - 0.3, 0.8, 1.3)
  context.fillStyle = COLOURS.guard
  for (const { x, y } of world.guards) context.fillRect(x + 0.15, y + 0.2, 0.7, 0.8)
  context.fillStyle = COLOURS.spike
  for (const { x, y } of world.blades) context.fillRect(x + 0.4, y, 0.2, 1)
  drawKnight(world.knight)
  drawText()
}

function drawWall(x, y) {
  context.fillStyle = COLOURS.wall
  context.fillRect(x, y, 1.01, 1.01)
  context.fillStyle = COLOURS.edge
  if (world.map[y - 1]?.[x] !== '#' && y > 0) context.fillRect(x, y, 1.01, 0.12)
}

function drawSpike({ x, y }) {
  const isHanging = world.map[y - 1]?.[x] === '#'
  context.fillStyle = COLOURS.spike
  context.beginPath()
  for (const third of [0, 1 / 3, 2 / 3]) {
    context.moveTo(x + third, isHanging ? y : y + 1)
    context.lineTo(x + third + 1 / 6, isHanging ? y + 0.6 : y + 0.4)
    context.lineTo(x + third + 1 / 3, isHanging ? y : y + 1)
  }
  context.fill()
}

function drawKnight({ x, y, faces, swing }) {
  context.save()
  context.translate(x + WIDTH / 2, y + HEIGHT / 2)
  context.scale(faces, world.gravity)
  context.fillStyle = COLOURS.knight
  context.fillRect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT)
  context.fillStyle = '#10111a'
  context.fillRect(-0.05, -0.25, 0.4, 0.14)
  context.fillStyle = COLOURS.guard
  context.fillRect(-0.15, -HEIGHT / 2 - 0.2, 0.25, 0.2)
  if (swing > 0) {
    context.fillStyle = COLOURS.spike
    context.fillRect(0.3, -0.1, REACH - 0.4, 0.12)
  }
  context.restore()
}

function drawText() {
  const score = `${deaths} ${deaths === 1 ? 'regret' : 'regrets'} · ${seconds.toFixed(1)} s`
  context.textBaseline = 'middle'
  context.font = '0.44px system-ui, sans-serif'
  context.fillStyle = '#eceef5'
  context.textAlign = 'left'
  context.fillText(isWon ? 'Press any button to start again.' : world.hint, 0.4, LINES + HUD / 2)
  context.textAlign = 'right'
  context.fillText(
    isWon ? score : `Room ${room + 1} of ${ROOMS.length} · ${score}`,
    COLUMNS - 0.4,
    LINES + HUD / 2,
  )
  if (!isWon) return
  context.textAlign = 'center'
  context.font = '1.4px system-ui, sans-serif'
  context.fillStyle = COLOURS.door
  context.fillText('Out!', COLUMNS / 2, LINES / 2)
}

run(step, draw)
