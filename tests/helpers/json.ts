/** Parses the body as the expected type; `toMatchObject` checks the actual content. */
export async function readJson<Body>(answer: Response): Promise<Body> {
  return (await answer.json()) as Body
}

export async function readData<Data>(answer: Response): Promise<Data> {
  const { data } = await readJson<{ data: Data }>(answer)
  return data
}

export interface ReadFailure<Data> {
  status: number
  code: number
  message: string
  data: Data
}

export async function readFailure<Data = unknown>(answer: Response): Promise<ReadFailure<Data>> {
  const { error, data } = await readJson<{ error: { code: number; message: string }; data: Data }>(answer)
  return { status: answer.status, ...error, data }
}
