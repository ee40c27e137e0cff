import { openStage, run } from './stage.mjs'
import { countStanding, heightOf, leanOf, load, save } from './tower.mjs'

const [WIDTH, HEIGHT] = [480, 640]
const BEACH_Y = 560
const SWING_Y = 110
const GRAVITY = 900
const COLOURS = ['#8a8f9c', '#a39c90', '#7d8a86', '#9a8f9a', '#b0a99f']

const { context, canvas } = openStage(WIDTH, HEIGHT)
let stones = []
let best = 0
let message = 'Looking for your stones.'
let isFound = false
let time = 0
/** The camera follows the top of the tower. */
let lift = 0
let swinging = pickStone()
let falling = null
let tumbling = []

void findStones()

async function findStones() {
  const saved = await load()
  stones = saved.stones
  best = saved.best
  message = describeReturn(saved)
  isFound = true
}

function describeReturn({ stones: left, taken }) {
  if (taken > 0) return `The wind took ${taken} while you were away.`
  return left.length > 0 ? 'They are still there.' : 'Press a key or tap to let go.'
}

function pickStone() {
  const size = Math.max(0.55, 1 - stones.length * 0.02)
  return {
    width: (70 + Math.random() * 60) * size,
    height: 20 + Math.random() * 16,
    colour: COLOURS[Math.floor(Math.random() * COLOURS.length)],
    x: 0,
  }
}

const swingOf = () => Math.sin(time * (1.3 + stones.length * 0.04)) * 150

function letGo() {
  if (falling || !isFound) return
  falling = { ...swinging, x: swingOf(), y: SWING_Y - lift, speed: 0 }
  swinging = pickStone()
}

canvas.addEventListener('pointerdown', letGo)
addEventListener('keydown', (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.key === 'Tab') return
  event.preventDefault()
  letGo()
})

function step(dt) {
  time += dt
  lift += (Math.max(0, heightOf(stones) - 240) - lift) * Math.min(1, dt * 3)
  if (falling) drop(dt)
  for (const stone of tumbling) {
    stone.speed += GRAVITY * dt
    stone.y += stone.speed * dt
    stone.x += stone.drift * dt
    stone.turn += stone.spin * dt
  }
  tumbling = tumbling.filter(({ y }) => y < HEIGHT * 2)
}

function drop(dt) {
  falling.speed += GRAVITY * dt
  falling.y += falling.speed * dt
  const top = BEACH_Y - heightOf(stones)
  if (falling.y + falling.height < top) return
  const { width, height, colour, x } = falling
  const under = stones.at(-1)
  const misses = under && Math.abs(x - under.x) > (under.width + width) / 2
  falling = null
  if (misses) return fall([{ width, height, colour, x }], top, 'Past it. The sea keeps that one.')
  stones.push({ width, height, colour, x })
  const standing = countStanding(stones)
  if (standing < stones.length) {
    const lost = stones.splice(standing)
    fall(lost, BEACH_Y - heightOf(stones), `${lost.length} fell. One more?`)
  } else {
    best = Math.max(best, stones.length)
    message =
      leanOf(stones) > 0.6 ? 'It leans.' : stones.length % 5 === 0 ? `${stones.length}. One more.` : ''
  }
  save(stones, best)
}

function fall(lost, top, words) {
  message = words
  const side = Math.sign(lost[0].x - (stones.at(-1)?.x ?? 0)) || 1
  let y = top
  for (const stone of lost) {
    y -= stone.height
    tumbling.push({
      ...stone,
      y,
      speed: -60,
      drift: side * (60 + Math.random() * 60),
      turn: 0,
      spin: side * (1 + Math.random() * 3),
    })
  }
}

function draw() {
  drawSea()
  context.save()
  context.translate(WIDTH / 2, lift)
  let y = BEACH_Y
  for (const stone of stones) {
    y -= stone.height
    drawStone(stone, stone.x, y)
  }
  for (const stone of tumbling) drawStone(stone, stone.x, stone.y, stone.turn)
  if (falling) drawStone(falling, falling.x, falling.y)
  context.restore()
  if (!falling) drawStone(swinging, WIDTH / 2 + swingOf(), SWING_Y)
  context.fillStyle = '#22303a'
  context.textAlign = 'center'
  context.font = '22px system-ui, sans-serif'
  context.fillText(message, WIDTH / 2, 44)
  context.font = '15px system-ui, sans-serif'
  context.fillText(`${stones.length} stones · best ${best}`, WIDTH / 2, 70)
}

function drawSea() {
  const sky = context.createLinearGradient(0, 0, 0, HEIGHT)
  sky.addColorStop(0, '#cfe3ea')
  sky.addColorStop(0.7, '#f3e3d0')
  sky.addColorStop(0.72, '#8fb3bd')
  sky.addColorStop(1, '#6f98a6')
  context.fillStyle = sky
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.fillStyle = '#d9c7a5'
  context.fillRect(0, BEACH_Y + lift, WIDTH, HEIGHT)
}

function drawStone({ width, height, colour }, x, y, turn = 0) {
  context.save()
  context.translate(x, y + height / 2)
  context.rotate(turn)
  context.fillStyle = colour
  context.beginPath()
  context.roundRect(-width / 2, -height / 2, width, height, Math.min(14, height / 2))
  context.fill()
  context.fillStyle = '#ffffff33'
  context.beginPath()
  context.roundRect(-width / 2 + 6, -height / 2 + 3, width - 12, height / 4, 4)
  context.fill()
  context.restore()
}

run(step, draw)
