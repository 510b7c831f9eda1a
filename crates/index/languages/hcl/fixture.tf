# Where cars are left.
resource "aws_place" "main" {
  owner = var.owner
}

variable "owner" {
  type = string
}

locals {
  limit = 8
}
