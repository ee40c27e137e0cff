import { Submit } from '../../kit/form.tsx'

interface MoverProps {
  to: number
  isLast: boolean
  label: string
  sign: string
}

/** The button of a form that moves something to another position. */
export function Mover({ to, isLast, label, sign }: MoverProps) {
  return (
    <Submit look="second" name="to" value={to} disabled={isLast} aria-label={label}>
      {sign}
    </Submit>
  )
}
