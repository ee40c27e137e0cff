import type { Environment } from '../environment.ts'
import type { Line } from '../line.ts'

export interface Scenario {
  name: string
  about: string
  run(environment: Environment): Promise<Line[]>
}
