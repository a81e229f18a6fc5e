/** A house of glass: the frame, and nothing that hides what is inside. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinejoin="round" className={className}>
      <path d="M4 10.5 12 4l8 6.5V20H4z" />
      <path d="M4 10.5h16M12 4v16M4 15.25h16" />
    </svg>
  );
}
