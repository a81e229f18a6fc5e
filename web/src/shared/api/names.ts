// Names of the API's types that would read as something else in the console.

export type {
  DirectoryNames as Directories,
  Example,
  Examples,
  Status,
  TaskRequest,
  TaskResponse,
  TaskState,
  Tool,
  Tools,
} from "@/shared/api/types.gen";
