import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type Color, openScreen } from '../engines/screen.ts'
import { waitFor } from '../wait.ts'

const [WIDTH, HEIGHT] = [1280, 800]
const START_MS = 120_000
const STARTS_MAX = 3
/** A point of the editor's menu bar, and its shades of grey while only the splash screen is shown. */
const MENU = [400, 8] as const
const SPLASH = new Set([0x00, 0x24])

export interface Editor {
  click(x: number, y: number): Promise<void>
  /** Names of keys as xdotool knows them. */
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
  takePicture(path: string): Promise<void>
  /** What the window shows at a point. */
  colorAt(x: number, y: number): Promise<Color>
  /** Whether a file exists in the project, by its path under `res://`. */
  hasFile(path: string): Promise<boolean>
  close(): Promise<void>
}

/** Starts the Godot editor with an empty project. It sometimes ends at once, in its graphics driver; then it starts again. */
export async function startEditor(dir: string): Promise<Editor> {
  for (let start = 1; ; start += 1) {
    try {
      return await tryToStart(join(dir, String(start)))
    } catch (error) {
      if (!(error instanceof EditorEnded) || start === STARTS_MAX) throw error
    }
  }
}

class EditorEnded extends Error {}

/** On a screen of its own. */
async function tryToStart(dir: string): Promise<Editor> {
  const [home, project] = [join(dir, 'home'), join(dir, 'project')]
  await Promise.all([home, project].map((folder) => mkdir(folder, { recursive: true })))
  await writeFile(join(project, 'project.godot'), 'config_version=4\n\n[application]\n\nconfig/name="Test"\n')
  const screen = await openScreen(WIDTH, HEIGHT, dir)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    DISPLAY: screen.DISPLAY,
    LIBGL_ALWAYS_SOFTWARE: '1',
  }
  const options = ['--video-driver', 'GLES2', '--audio-driver', 'Dummy', '--resolution', `${WIDTH}x${HEIGHT}`]
  const output = Bun.file(join(dir, 'output.txt'))
  const godot = Bun.spawn(['godot3', '--editor', '--path', project, ...options, '--position', '0,0'], {
    env,
    stdout: 'ignore',
    stderr: output,
  })

  async function run(...command: string[]): Promise<string> {
    const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' })
    const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${errors}`)
    return out
  }

  async function isReady(): Promise<boolean> {
    if (godot.exitCode !== null)
      throw new EditorEnded(`The editor ended with ${godot.exitCode}: ${await output.text()}`)
    const { red, green, blue } = await screen.colorAt(...MENU)
    return red !== green || green !== blue || !SPLASH.has(red)
  }

  async function close(): Promise<void> {
    godot.kill('SIGKILL')
    await godot.exited
    await screen.close()
  }

  try {
    await waitFor('the editor shows its windows', isReady, START_MS)
  } catch (error) {
    await close()
    throw error
  }
  return {
    click: async (x, y) => void (await run('xdotool', 'mousemove', String(x), String(y), 'click', '1')),
    press: async (...keys) => void (await run('xdotool', 'key', '--delay', '200', ...keys)),
    type: async (text) => void (await run('xdotool', 'type', '--delay', '40', text)),
    takePicture: async (path) => void (await run('import', '-window', 'root', path)),
    colorAt: screen.colorAt,
    hasFile: (path) => Bun.file(join(project, path)).exists(),
    close,
  }
}
