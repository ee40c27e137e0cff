import { openStage, run } from './stage.mjs'
import { WORDS } from './words.mjs'

const [WIDTH, HEIGHT] = [720, 360]
const SECONDS = 75
const LETTERS = 'abcdefghijklmnoprstuvwy'
const ROW_Y = 190

const { context, canvas, toStage } = openStage(WIDTH, HEIGHT)
const known = new Set(WORDS)
let best = Number(localStorage.getItem('word-beetle') ?? 0)
let state = 'ready'
let left = SECONDS
let score = 0
let row = []
let appetite = 0
let beetle = 0
/** Where the beetle is drawn; it walks after the place it was sent to. */
let shownAt = 0
let flash = { colour: '', seconds: 0 }

function pick(list) {
  return list[Math.floor(Math.random() * list.length)]
}

/** Hides a word among letters that are too many: one at first, up to five later. */
function hideWord() {
  const letters = [...pick(WORDS)]
  appetite = Math.min(5, 1 + Math.floor(score / 4))
  for (let done = 0; done < appetite; done += 1) {
    letters.splice(Math.floor(Math.random() * (letters.length + 1)), 0, pick(LETTERS))
  }
  row = letters
  beetle = Math.min(beetle, row.length - 1)
}

function begin() {
  ;[state, left, score, beetle] = ['playing', SECONDS, 0, 0]
  hideWord()
}

function eat(at) {
  if (row.length === 0) return
  row.splice(at, 1)
  appetite -= 1
  beetle = Math.min(at, row.length - 1)
  if (appetite > 0) return
  const isWord = known.has(row.join(''))
  if (isWord) score += 1
  else left -= 5
  flash = { colour: isWord ? '#5cd6a9' : '#ff909c', seconds: 0.4, word: row.join('') }
  hideWord()
}

addEventListener('keydown', (event) => {
  const { code } = event
  if (!['ArrowLeft', 'ArrowRight', 'Space', 'Enter'].includes(code)) return
  event.preventDefault()
  if (code === 'ArrowLeft') beetle = Math.max(0, beetle - 1)
  else if (code === 'ArrowRight') beetle = Math.min(row.length - 1, beetle + 1)
  else if (state !== 'playing') begin()
  else if (!event.repeat) eat(beetle)
})
canvas.addEventListener('pointerdown', (event) => {
  if (state !== 'playing') return begin()
  const { x, y } = toStage(event)
  const at = row.findIndex((_, index) => Math.abs(x - placeOf(index)) < gap() / 2)
  if (at >= 0 && Math.abs(y - ROW_Y) < 60) eat(at)
})

const gap = () => Math.min(64, (WIDTH - 60) / Math.max(row.length, 1))
const placeOf = (index) => WIDTH / 2 + (index - (row.length - 1) / 2) * gap()

function step(dt) {
  flash.seconds = Math.max(0, flash.seconds - dt)
  shownAt += (placeOf(beetle) - shownAt) * Math.min(1, dt * 14)
  if (state !== 'playing') return
  left -= dt
  if (left > 0) return
  state = 'over'
  best = Math.max(best, score)
  localStorage.setItem('word-beetle', String(best))
}

function draw() {
  context.fillStyle = '#17301f'
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  if (state === 'ready')
    return drawTitle(
      'Word Beetle',
      'Eat the letters that do not belong. Tap them, or use the arrows and space.',
    )
  if (state === 'over') return drawTitle(`${score} words`, `Best ${best}. Press space or tap to play again.`)
  for (const [index, letter] of row.entries()) drawLetter(letter, placeOf(index), index === beetle)
  drawBeetle(shownAt, ROW_Y + 56)
  context.fillStyle = '#dfeee2'
  context.font = '18px system-ui, sans-serif'
  context.fillText(`${Math.ceil(left)} s · ${score} words · still hungry for ${appetite}`, WIDTH / 2, 40)
  if (flash.seconds === 0) return
  context.fillStyle = flash.colour
  context.font = 'bold 28px system-ui, sans-serif'
  context.fillText(flash.word, WIDTH / 2, 96)
}

function drawLetter(letter, x, isChosen) {
  const size = gap() * 0.88
  context.fillStyle = isChosen ? '#f2e6b8' : '#e3d9ae'
  context.beginPath()
  context.roundRect(x - size / 2, ROW_Y - size / 2, size, size, 8)
  context.fill()
  context.fillStyle = '#2b2413'
  context.font = `bold ${size * 0.6}px system-ui, sans-serif`
  context.fillText(letter.toUpperCase(), x, ROW_Y + 2)
}

function drawBeetle(x, y) {
  context.strokeStyle = '#0b140d'
  context.lineWidth = 3
  for (const side of [-1, 1]) {
    for (const leg of [-8, 0, 8]) {
      context.beginPath()
      context.moveTo(x + leg, y)
      context.lineTo(x + leg + side * 3, y + 17)
      context.stroke()
    }
  }
  context.fillStyle = '#7c4dff'
  context.beginPath()
  context.ellipse(x, y, 20, 14, 0, 0, Math.PI * 2)
  context.fill()
  context.fillStyle = '#b79bff'
  context.fillRect(x - 1, y - 13, 2, 26)
  context.fillStyle = '#0b140d'
  context.beginPath()
  context.arc(x, y - 15, 7, 0, Math.PI * 2)
  context.fill()
}

function drawTitle(title, text) {
  context.fillStyle = '#f2e6b8'
  context.font = 'bold 54px system-ui, sans-serif'
  context.fillText(title, WIDTH / 2, HEIGHT / 2 - 30)
  context.fillStyle = '#dfeee2'
  context.font = '18px system-ui, sans-serif'
  context.fillText(text, WIDTH / 2, HEIGHT / 2 + 24)
}

run(step, draw)
