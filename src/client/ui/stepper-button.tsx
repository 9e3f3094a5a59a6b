type StepperButtonProps = { isIncrease?: boolean; isDisabled?: boolean; name: string; onClick: () => void }

/** A disabled button keeps focus, so `onClick` must ignore its clicks. */
export function StepperButton({ isIncrease = false, isDisabled, name, onClick }: StepperButtonProps) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`${isIncrease ? 'Increase' : 'Decrease'} quantity of ${name}`}
      aria-disabled={isDisabled}
      onClick={onClick}
    >
      <svg viewBox="0 0 24 24" width="1.25rem" height="1.25rem" aria-hidden="true">
        <path d={isIncrease ? 'M6 12h12M12 6v12' : 'M6 12h12'} />
      </svg>
    </button>
  )
}
