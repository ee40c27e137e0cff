import type { EngineName } from '../../helpers/engines/install.ts'
import type { Environment } from '../environment.ts'
import type { Line } from '../report/line.ts'

export interface Scenario {
  name: string
  about: string
  /** The engines it starts. */
  engines?: readonly EngineName[]
  /** Takes many minutes, so it runs only when it is named. */
  isLong?: boolean
  run(environment: Environment): Promise<Line[]>
}
