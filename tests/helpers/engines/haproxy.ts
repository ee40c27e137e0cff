import { join } from 'node:path'

import { waitFor } from '../wait.ts'

export const HAPROXY_PACKAGES = ['haproxy'] as const

const CONFIG = join(import.meta.dir, '../../../infra/haproxy/haproxy.cfg')

export function isHaproxyInstalled(): boolean {
  return findHaproxy() !== null
}

export interface Balancer extends AsyncDisposable {
  /** Whether the balancer sends requests to the server of this name. */
  isUp(server: string): Promise<boolean>
}

/** Starts the configuration that we ship; `env` has the values of its variables. */
export async function startHaproxy(dir: string, env: Record<string, string>): Promise<Balancer> {
  const socket = join(dir, 'haproxy.sock')
  const child = Bun.spawn([findHaproxy() ?? 'haproxy', '-db', '-f', CONFIG], {
    env: { ...env, ADMIN_SOCKET: socket },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  await waitFor('the start of haproxy', async () => {
    if (child.exitCode !== null) throw new Error(`haproxy failed: ${await child.stderr.text()}`)
    return await askSocket(socket, 'show info').catch(() => null)
  })
  return {
    async isUp(server) {
      const rows = (await askSocket(socket, 'show stat')).split('\n').map((line) => line.split(','))
      const [name, status] = ['svname', 'status'].map((title) => rows[0]?.indexOf(title) ?? -1)
      return rows.some((row) => row[name ?? -1] === server && row[status ?? -1]?.startsWith('UP'))
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

function askSocket(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    Bun.connect({
      unix: path,
      socket: {
        open: (socket) => void socket.write(`${command}\n`),
        data: (_, bytes) => void (text += bytes.toString('utf8')),
        close: () => resolve(text),
        error: (_, error) => reject(error),
      },
    }).catch(reject)
  })
}

/** Debian installs it outside the PATH of ordinary users. */
function findHaproxy(): string | null {
  return Bun.which('haproxy', { PATH: `${process.env.PATH ?? ''}:/usr/sbin` })
}
