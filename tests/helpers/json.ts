/** The body as the test expects it; `toMatchObject` judges what is really in it. */
export async function readJson<Body>(answer: Response): Promise<Body> {
  return (await answer.json()) as Body
}

export async function readData<Data>(answer: Response): Promise<Data> {
  const { data } = await readJson<{ data: Data }>(answer)
  return data
}

export async function readFailure(
  answer: Response,
): Promise<{ status: number; code: number; message: string }> {
  const { error } = await readJson<{ error: { code: number; message: string } }>(answer)
  return { status: answer.status, ...error }
}
