/** Explains to the operator why a listener could not be opened; `variable` sets its port. */
export function bindPort<Server>(variable: string, port: number, bind: () => Server): Server {
  try {
    return bind()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause
    throw new Error(
      `Port ${port} is already in use, perhaps by another Playshelf. Stop that program, or set ${variable} to another port. If both are meant to share it, set REUSE_PORT=on for both.`,
      { cause },
    )
  }
}
