export { signInByLink } from "@/features/sign-in/link";
export { SignInPage } from "@/features/sign-in/page";
