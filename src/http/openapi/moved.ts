/** For routes that name a listing: `detail: { tags, summary, responses: MOVED }`. */
export const MOVED = {
  301: { description: 'The listing has another name now; the answer is at the address in `Location`.' },
}
