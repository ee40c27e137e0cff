export type ClamdAddress = { hostname: string; port: number } | { unix: string }

/** Asks clamd for a PONG. */
export function checkClamd(address: ClamdAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = {
      open: (connection: Bun.Socket) => void connection.write('zPING\0'),
      data: (connection: Bun.Socket, chunk: Buffer) => {
        answer += chunk.toString('latin1')
        if (!answer.includes('\0')) return
        connection.end()
        if (answer.startsWith('PONG')) resolve()
        else reject(new Error('What listens there is not clamd'))
      },
      close: () => reject(new Error('clamd closed the connection')),
      error: (_: Bun.Socket, error: Error) => reject(error),
      connectError: (_: Bun.Socket, error: Error) => reject(error),
    }
    const connecting =
      'unix' in address ? Bun.connect({ ...address, socket }) : Bun.connect({ ...address, socket })
    connecting.catch(reject)
  })
}
