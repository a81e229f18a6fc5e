export const common = {
  copy: "复制",
  copied: "已复制",
  close: "关闭",
  retry: "重试",
  cancel: "取消",
  loading: "加载中…",
  unreachable: "连不上服务器。检查网络，或看看 Glasshouse 是否在运行。",
} as const;
