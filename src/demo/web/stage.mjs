/** What every game here needs: a canvas that fits the window, a loop, and a note to the store that it started. */

/** Draws in units of `width` × `height`, whatever the size of the window. */
export function openStage(width, height) {
  const canvas = document.querySelector('canvas')
  const context = canvas.getContext('2d')
  const fit = () => {
    const scale = Math.min(innerWidth / width, innerHeight / height)
    canvas.style.width = `${width * scale}px`
    canvas.style.height = `${height * scale}px`
    canvas.width = Math.round(width * scale * devicePixelRatio)
    canvas.height = Math.round(height * scale * devicePixelRatio)
    context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0)
  }
  addEventListener('resize', fit)
  fit()
  /** Where on the stage a pointer is. */
  const toStage = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect()
    return {
      x: ((clientX - box.left) / box.width) * width,
      y: ((clientY - box.top) / box.height) * height,
    }
  }
  return { canvas, context, toStage }
}

const STEP = 1 / 120
/** After a pause, such as a hidden tab, a game goes on instead of catching up. */
const LONGEST_FRAME = 0.1

/** Calls `step` at a fixed pace, so that a game is the same on every screen, and `draw` once a frame. */
export function run(step, draw) {
  let last = performance.now()
  let due = 0
  const frame = (now) => {
    due += Math.min((now - last) / 1000, LONGEST_FRAME)
    last = now
    for (; due >= STEP; due -= STEP) step(STEP)
    draw()
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  reportStart()
}

/** Counts for the launch health of the build. A copy that was downloaded has no store to tell. */
function reportStart() {
  import('/.playshelf/sdk.js').then(({ bootOk }) => bootOk()).catch(() => {})
}
